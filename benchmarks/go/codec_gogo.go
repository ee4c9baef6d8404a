package main

import (
	"google.golang.org/protobuf/proto"

	gogo "abathur.sync/benchmarks/go/gen/gogo"
	"abathur.sync/benchmarks/go/gen/pb"
	"abathur.sync/benchmarks/go/gen/touch"
	"abathur.sync/benchmarks/go/sums"
)

func init() {
	register(&codec{
		name: "gogo",
		footnotes: []string{
			"Marshal and Unmarshal that protoc-gen-gogofast generates; its messages are types of their own. gogofaster, which has fields" +
				" without pointers, refuses these protos (optional enums without a zero). The project is no longer maintained.",
		},
		prepare: func(recorded []byte) (any, error) {
			message := new(gogo.ResponseObservation)
			return message, message.Unmarshal(recorded)
		},
		encode: func(object any) ([]byte, error) { return object.(*gogo.ResponseObservation).Marshal() },
		decode: func(data []byte) (any, error) {
			message := new(gogo.ResponseObservation)
			return message, message.Unmarshal(data)
		},
		touch: func(decoded any, s *sums.Sums) {
			touch.GogoResponseObservation(decoded.(*gogo.ResponseObservation), s)
		},
		message: func(decoded any) (proto.Message, error) {
			data, err := decoded.(*gogo.ResponseObservation).Marshal()
			if err != nil {
				return nil, err
			}
			message := new(pb.ResponseObservation)
			return message, proto.Unmarshal(data, message)
		},
	})
}
