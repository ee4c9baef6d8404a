package main

import (
	"flag"
	"testing"
	"time"
)

// setBenchTime says how long testing.Benchmark runs.
func setBenchTime(duration time.Duration) error {
	testing.Init()
	return flag.Set("test.benchtime", duration.String())
}

// addLevelRound runs testing.Benchmark once for each operation: ns/op, B/op and allocs/op as `go test -bench -benchmem` prints them.
func (r *row) addLevelRound(c *codec, message []byte) error {
	object, err := c.prepare(message)
	if err != nil {
		return err
	}
	data, err := c.encode(object)
	if err != nil {
		return err
	}
	data = append([]byte(nil), data...)
	for name, run := range operations(c) {
		var failure error
		figures := testing.Benchmark(func(b *testing.B) {
			b.ReportAllocs()
			for count := 0; count < b.N; count++ {
				if err := run(object, data); err != nil {
					failure = err
					return
				}
			}
		})
		if failure != nil {
			return failure
		}
		r.Samples[name] = append(r.Samples[name], []float64{float64(figures.T.Nanoseconds()) / float64(figures.N)})
		r.Allocated[name] = allocated{Bytes: float64(figures.AllocedBytesPerOp()), Allocations: float64(figures.AllocsPerOp())}
	}
	return nil
}
