//go:build flatbuffers

package main

import (
	flatbuffers "github.com/google/flatbuffers/go"
	"google.golang.org/protobuf/proto"

	"abathur.sync/benchmarks/go/gen/flat"
	"abathur.sync/benchmarks/go/gen/pb"
	"abathur.sync/benchmarks/go/gen/touch"
	"abathur.sync/benchmarks/go/sums"
)

const (
	initialBytes = 1 << 18
	presence     = "Every scalar is optional in the schema (= null) and every message a table, so that absent fields stay absent." +
		" A struct for positions would be smaller, but cannot omit a coordinate."
)

// inPlace is a buffer whose fields have been read.
type inPlace struct {
	root *flat.ResponseObservation
	sums sums.Sums
}

func init() {
	builder := flatbuffers.NewBuilder(initialBytes)
	encode := func(object any) ([]byte, error) {
		builder.Reset()
		builder.Finish(object.(*flat.ResponseObservationT).Pack(builder))
		return builder.FinishedBytes(), nil
	}
	cannotCarry := []string{"unknown fields", "text that is present but empty"}
	register(
		&codec{
			name: "flatbuffers",
			footnotes: []string{
				"Pack into one Builder, reset for each frame, and UnPack of the root. Bytes of an unpacked object are those of the buffer.",
				presence,
			},
			cannotCarry: cannotCarry,
			prepare:     toTables,
			encode:      encode,
			decode: func(data []byte) (any, error) {
				return flat.GetRootAsResponseObservation(data, 0).UnPack(), nil
			},
			touch: func(decoded any, s *sums.Sums) {
				touch.ObjectResponseObservation(decoded.(*flat.ResponseObservationT), s)
			},
			message: fromStructs,
		},
		&codec{
			name: "flatbuffers-read",
			footnotes: []string{
				"Zero-copy: decoding is reading. Both figures of decoding read every field with the accessors that flatc generates; nothing" +
					" is kept. Go has no verifier: the buffer is trusted. An optional scalar comes as a pointer.",
				presence,
			},
			cannotCarry: cannotCarry,
			readsOnly:   true,
			prepare:     toTables,
			encode:      encode,
			decode: func(data []byte) (any, error) {
				found := &inPlace{root: flat.GetRootAsResponseObservation(data, 0)}
				touch.TablesResponseObservation(found.root, &found.sums)
				return found, nil
			},
			touch: func(decoded any, s *sums.Sums) { *s = decoded.(*inPlace).sums },
			message: func(decoded any) (proto.Message, error) {
				return fromStructs(decoded.(*inPlace).root.UnPack())
			},
		},
	)
}

func toTables(recorded []byte) (any, error) {
	message := new(pb.ResponseObservation)
	if err := proto.Unmarshal(recorded, message); err != nil {
		return nil, err
	}
	object := new(flat.ResponseObservationT)
	toStruct(message.ProtoReflect(), object)
	return object, nil
}
