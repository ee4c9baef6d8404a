package main

import (
	"bytes"
	"fmt"

	"google.golang.org/protobuf/proto"

	"abathur.sync/benchmarks/go/sums"
)

// checked is what the check of one frame has found.
type checked struct {
	size              int
	lostUnknownFields bool
	sums              sums.Sums
}

// check encodes and decodes one frame and compares: as messages, and the sums over all fields.
func check(c *codec, recorded []byte) (result checked, err error) {
	defer func() {
		// Libraries panic for what they do not support; that is a finding about the codec.
		if cause := recover(); cause != nil {
			err = fmt.Errorf("panic: %v", cause)
		}
	}()
	object, err := c.prepare(recorded)
	if err != nil {
		return result, err
	}
	data, err := c.encode(object)
	if err != nil {
		return result, err
	}
	result.size = len(data)
	decoded, err := c.decode(data)
	if err != nil {
		return result, err
	}
	c.touch(decoded, &result.sums)
	actual, err := c.message(decoded)
	if err != nil {
		return result, err
	}
	expected, err := parse(recorded)
	if err != nil {
		return result, err
	}
	message := expected.(proto.Message)
	var expectedSums sums.Sums
	touchMessage(message, &expectedSums)
	if !areEqual(message, actual) {
		discardUnknown(message.ProtoReflect())
		discardUnknown(actual.ProtoReflect())
		if !areEqual(message, actual) {
			return result, fmt.Errorf("%s differs after decoding", firstDifference(message.ProtoReflect(), actual.ProtoReflect()))
		}
		result.lostUnknownFields = true
	}
	if !sameSums(expectedSums, result.sums) {
		return result, fmt.Errorf("reading every field gave another sum than for the message")
	}
	return result, nil
}

// areEqual compares canonical bytes: unknown fields count, and 0 is not -0.
func areEqual(one, other proto.Message) bool {
	canonical := proto.MarshalOptions{Deterministic: true}
	first, firstErr := canonical.Marshal(one)
	second, secondErr := canonical.Marshal(other)
	return firstErr == nil && secondErr == nil && bytes.Equal(first, second)
}

func sameSums(one, other sums.Sums) bool {
	return one.Int == other.Int && (one.Float == other.Float || (one.Float != one.Float && other.Float != other.Float))
}
