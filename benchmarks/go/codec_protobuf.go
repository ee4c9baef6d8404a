package main

import (
	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/proto"

	"abathur.sync/benchmarks/go/gen/pb"
	"abathur.sync/benchmarks/go/gen/touch"
	"abathur.sync/benchmarks/go/sums"
)

func init() {
	register(
		&codec{
			name: "protobuf",
			footnotes: []string{
				"proto.Marshal and proto.Unmarshal of generated messages, read with their getters. proto2: a scalar is a pointer.",
			},
			prepare: parse,
			encode:  func(object any) ([]byte, error) { return proto.Marshal(object.(*pb.ResponseObservation)) },
			decode: func(data []byte) (any, error) {
				message := new(pb.ResponseObservation)
				return message, proto.Unmarshal(data, message)
			},
			touch:   touchMessage,
			message: asMessage,
		},
		&codec{
			name: "vtprotobuf",
			footnotes: []string{
				"MarshalVT and UnmarshalVT, which protoc-gen-go-vtproto adds to the messages of row protobuf (features marshal, unmarshal," +
					" size). Its pools of messages are not used: they need a program that gives messages back.",
			},
			prepare: parse,
			encode:  func(object any) ([]byte, error) { return object.(*pb.ResponseObservation).MarshalVT() },
			decode: func(data []byte) (any, error) {
				message := new(pb.ResponseObservation)
				return message, message.UnmarshalVT(data)
			},
			touch:   touchMessage,
			message: asMessage,
		},
		&codec{
			name:        "protojson",
			footnotes:   []string{"protojson.Marshal and protojson.Unmarshal, with defaults: camelCase names, enums by name, 64-bit numbers as text."},
			cannotCarry: []string{"unknown fields"},
			prepare:     parse,
			encode:      func(object any) ([]byte, error) { return protojson.Marshal(object.(*pb.ResponseObservation)) },
			decode: func(data []byte) (any, error) {
				message := new(pb.ResponseObservation)
				return message, protojson.Unmarshal(data, message)
			},
			touch:   touchMessage,
			message: asMessage,
		},
	)
}

func parse(recorded []byte) (any, error) {
	message := new(pb.ResponseObservation)
	return message, proto.Unmarshal(recorded, message)
}

func touchMessage(decoded any, s *sums.Sums) {
	touch.MessageResponseObservation(decoded.(*pb.ResponseObservation), s)
}

func asMessage(decoded any) (proto.Message, error) {
	return decoded.(*pb.ResponseObservation), nil
}
