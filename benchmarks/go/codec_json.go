package main

import (
	"encoding/json"

	jsoniter "github.com/json-iterator/go"
	"google.golang.org/protobuf/proto"

	"abathur.sync/benchmarks/go/gen/pb"
	"abathur.sync/benchmarks/go/gen/plain"
	"abathur.sync/benchmarks/go/gen/touch"
	"abathur.sync/benchmarks/go/sums"
)

const plainStructs = "Structs with tags, a pointer for each scalar and omitempty, so that an absent field is not a zero. Names of the .proto" +
	" files, enums as numbers, bytes as base64."

func init() {
	compatible := jsoniter.ConfigCompatibleWithStandardLibrary
	register(
		jsonCodec("encoding-json", json.Marshal, json.Unmarshal,
			"json.Marshal and json.Unmarshal of the standard library."),
		jsonCodec("json-iterator", compatible.Marshal, compatible.Unmarshal,
			"ConfigCompatibleWithStandardLibrary, as its README names it for a replacement. ConfigFastest keeps six digits of a float, and"+
				" would not give the frames back."),
	)
}

func jsonCodec(
	name string, marshal func(any) ([]byte, error), unmarshal func([]byte, any) error, footnote string,
) *codec {
	return &codec{
		name:        name,
		footnotes:   []string{footnote, plainStructs},
		cannotCarry: []string{"unknown fields", "NaN and infinities", "bytes that are present but empty"},
		prepare:     toPlain,
		encode:      func(object any) ([]byte, error) { return marshal(object.(*plain.ResponseObservation)) },
		decode: func(data []byte) (any, error) {
			object := new(plain.ResponseObservation)
			return object, unmarshal(data, object)
		},
		touch: func(decoded any, s *sums.Sums) {
			touch.PlainResponseObservation(decoded.(*plain.ResponseObservation), s)
		},
		message: fromStructs,
	}
}

func toPlain(recorded []byte) (any, error) {
	message := new(pb.ResponseObservation)
	if err := proto.Unmarshal(recorded, message); err != nil {
		return nil, err
	}
	object := new(plain.ResponseObservation)
	toStruct(message.ProtoReflect(), object)
	return object, nil
}

func fromStructs(decoded any) (proto.Message, error) {
	message := new(pb.ResponseObservation)
	fromStruct(decoded, message.ProtoReflect())
	return message, nil
}
