// Package sums adds up what a reader of every field has read: equal sums for equal content, in every form of it.
package sums

import (
	"fmt"
	"hash/crc32"
)

// Sums are the sum of all integers, enums and truth values (modulo 2^64), CRC-32 for text and bytes; and of all floats.
type Sums struct {
	Int   int64
	Float float64
}

// MarshalJSON writes the float as text, since JSON has no NaN.
func (s Sums) MarshalJSON() ([]byte, error) {
	return []byte(fmt.Sprintf(`{"int":%d,"float":"%g"}`, s.Int, s.Float)), nil
}

// Bool counts a true value as one.
func (s *Sums) Bool(value bool) {
	if value {
		s.Int++
	}
}

// Bytes adds the CRC-32 of bytes.
func (s *Sums) Bytes(value []byte) {
	s.Int += int64(crc32.ChecksumIEEE(value))
}
