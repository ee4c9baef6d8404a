package main

import (
	"reflect"
	"strings"

	"google.golang.org/protobuf/reflect/protoreflect"
)

// Messages to structs and back, for what is not timed: the objects to encode, and the check. The tag `json` of a struct's field names the
// field of the message.

// toStruct fills a struct, which `target` points to.
func toStruct(message protoreflect.Message, target any) {
	fields := fieldsByName(reflect.ValueOf(target).Elem())
	message.Range(func(field protoreflect.FieldDescriptor, value protoreflect.Value) bool {
		to := fields[string(field.Name())]
		if !field.IsList() {
			setField(to, field, value)
			return true
		}
		list := value.List()
		to.Set(reflect.MakeSlice(to.Type(), list.Len(), list.Len()))
		for index := 0; index < list.Len(); index++ {
			setField(to.Index(index), field, list.Get(index))
		}
		return true
	})
}

func setField(to reflect.Value, field protoreflect.FieldDescriptor, value protoreflect.Value) {
	if to.Kind() == reflect.Pointer {
		to.Set(reflect.New(to.Type().Elem()))
		if field.Message() != nil {
			toStruct(value.Message(), to.Interface())
			return
		}
		to = to.Elem()
	}
	to.Set(reflect.ValueOf(goValue(field, value)).Convert(to.Type()))
}

func goValue(field protoreflect.FieldDescriptor, value protoreflect.Value) any {
	if field.Kind() == protoreflect.EnumKind {
		return int32(value.Enum())
	}
	return value.Interface()
}

// fromStruct fills a message. Nil, empty lists, and text without a pointer that is empty are absent fields.
func fromStruct(from any, message protoreflect.Message) {
	for name, value := range fieldsByName(reflect.ValueOf(from).Elem()) {
		field := message.Descriptor().Fields().ByName(protoreflect.Name(name))
		switch {
		case value.IsZero():
		case field.IsList():
			list := message.Mutable(field).List()
			for index := 0; index < value.Len(); index++ {
				list.Append(protoValue(field, value.Index(index), list.NewElement))
			}
		default:
			message.Set(field, protoValue(field, value, func() protoreflect.Value { return message.NewField(field) }))
		}
	}
}

func protoValue(field protoreflect.FieldDescriptor, from reflect.Value, create func() protoreflect.Value) protoreflect.Value {
	if field.Message() != nil {
		value := create()
		fromStruct(from.Interface(), value.Message())
		return value
	}
	if from.Kind() == reflect.Pointer {
		from = from.Elem()
	}
	if field.Kind() == protoreflect.EnumKind {
		return protoreflect.ValueOfEnum(protoreflect.EnumNumber(from.Int()))
	}
	return protoreflect.ValueOf(from.Interface())
}

func fieldsByName(structure reflect.Value) map[string]reflect.Value {
	fields := make(map[string]reflect.Value, structure.NumField())
	for index := 0; index < structure.NumField(); index++ {
		name, _, _ := strings.Cut(structure.Type().Field(index).Tag.Get("json"), ",")
		fields[name] = structure.Field(index)
	}
	return fields
}
