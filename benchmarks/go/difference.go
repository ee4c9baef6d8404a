package main

import (
	"fmt"

	"google.golang.org/protobuf/reflect/protoreflect"
)

// firstDifference is the path of the first field that differs.
func firstDifference(one, other protoreflect.Message) string {
	fields := one.Descriptor().Fields()
	for index := 0; index < fields.Len(); index++ {
		field := fields.Get(index)
		if one.Has(field) != other.Has(field) {
			return string(field.Name())
		}
		if !one.Has(field) {
			continue
		}
		if path := difference(field, one.Get(field), other.Get(field)); path != "" {
			return path
		}
	}
	return ""
}

func difference(field protoreflect.FieldDescriptor, one, other protoreflect.Value) string {
	name := string(field.Name())
	if !field.IsList() {
		return valueDifference(field, name, one, other)
	}
	if one.List().Len() != other.List().Len() {
		return fmt.Sprintf("%s (%d elements, %d after decoding)", name, one.List().Len(), other.List().Len())
	}
	for index := 0; index < one.List().Len(); index++ {
		element := fmt.Sprintf("%s[%d]", name, index)
		if path := valueDifference(field, element, one.List().Get(index), other.List().Get(index)); path != "" {
			return path
		}
	}
	return ""
}

func valueDifference(field protoreflect.FieldDescriptor, name string, one, other protoreflect.Value) string {
	if field.Message() != nil {
		if path := firstDifference(one.Message(), other.Message()); path != "" {
			return name + "." + path
		}
		return ""
	}
	// By their text, which is another for 0 and -0, and the same for every NaN.
	if fmt.Sprint(one.Interface()) != fmt.Sprint(other.Interface()) {
		return name
	}
	return ""
}

// discardUnknown removes the unknown fields of a message and of all messages in it.
func discardUnknown(message protoreflect.Message) {
	message.SetUnknown(nil)
	message.Range(func(field protoreflect.FieldDescriptor, value protoreflect.Value) bool {
		switch {
		case field.Message() == nil:
		case field.IsList():
			for index := 0; index < value.List().Len(); index++ {
				discardUnknown(value.List().Get(index).Message())
			}
		default:
			discardUnknown(value.Message())
		}
		return true
	})
}
