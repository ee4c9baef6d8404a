package main

import (
	"google.golang.org/protobuf/proto"

	"abathur.sync/benchmarks/go/sums"
)

// codec is one row. An object is what a program of the library has: messages, plain structs, tables.
type codec struct {
	name        string
	footnotes   []string
	cannotCarry []string
	// readsOnly: nothing is encoded that another row does not encode, so that encoding is not timed.
	readsOnly bool
	// prepare makes the object to encode from recorded bytes.
	prepare func(recorded []byte) (any, error)
	encode  func(object any) ([]byte, error)
	decode  func(data []byte) (any, error)
	// touch reads every field of a decoded object.
	touch func(decoded any, s *sums.Sums)
	// message gives the decoded object as a message, for the check.
	message func(decoded any) (proto.Message, error)
}

// catalog has the codecs by name; each file of codecs adds its own.
var catalog = map[string]*codec{}

// register adds codecs to the catalog.
func register(codecs ...*codec) {
	for _, each := range codecs {
		catalog[each.name] = each
	}
}
