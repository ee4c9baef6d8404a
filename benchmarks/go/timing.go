package main

import (
	"runtime"
	"sort"
	"time"

	"abathur.sync/benchmarks/go/sums"
)

const (
	pilotFrames      = 8
	warmUpOperations = 16
	clockSamples     = 100_001
)

// samples are times in ns by operation: a list for each round.
type samples map[string][][]float64

// allocated is what one operation allocates, as a mean over the frames.
type allocated struct {
	Bytes       float64 `json:"bytes"`
	Allocations float64 `json:"allocations"`
}

// operation takes an object to encode and its bytes.
type operation func(object any, data []byte) error

// operations are what is timed of a codec, by their names in results.
func operations(c *codec) map[string]operation {
	found := map[string]operation{
		"decode": func(_ any, data []byte) error {
			decoded, err := c.decode(data)
			kept = decoded
			return err
		},
		"decode_touch": func(_ any, data []byte) error {
			decoded, err := c.decode(data)
			if err != nil {
				return err
			}
			var s sums.Sums
			c.touch(decoded, &s)
			keptSums = s
			return nil
		},
	}
	if !c.readsOnly {
		found["encode"] = func(object any, _ []byte) error {
			data, err := c.encode(object)
			keptData = data
			return err
		}
	}
	return found
}

// What an operation gives is stored here, so that the compiler cannot leave the operation away.
var (
	kept     any
	keptData []byte
	keptSums sums.Sums
)

// warmUp runs a codec on a few frames of the whole recording: its pools and tables are filled then.
func warmUp(c *codec, frames [][]byte, shortest time.Duration) error {
	ignored := samples{}
	ignored.startRound()
	start := time.Now()
	for count := 0; count < warmUpOperations || time.Since(start) < shortest; count++ {
		index := count % pilotFrames * (len(frames) - 1) / (pilotFrames - 1)
		if err := ignored.take(c, frames[index]); err != nil {
			return err
		}
	}
	return nil
}

// timeRound takes every frame once, in recorded order. Garbage of the codec before is collected first.
func (s samples) timeRound(c *codec, frames [][]byte) error {
	kept, keptData = nil, nil
	runtime.GC()
	ignored := samples{}
	ignored.startRound()
	// One frame that is not counted fills the caches with this codec's code and tables.
	if err := ignored.take(c, frames[0]); err != nil {
		return err
	}
	s.startRound()
	for _, frame := range frames {
		if err := s.take(c, frame); err != nil {
			return err
		}
	}
	return nil
}

func (s samples) startRound() {
	for _, name := range []string{"encode", "decode", "decode_touch"} {
		s[name] = append(s[name], nil)
	}
}

func (s samples) add(name string, taken time.Duration) {
	last := len(s[name]) - 1
	s[name][last] = append(s[name][last], float64(taken.Nanoseconds()))
}

// take makes the object of a frame, which is not timed, then times each operation once and by itself.
func (s samples) take(c *codec, frame []byte) error {
	object, err := c.prepare(frame)
	if err != nil {
		return err
	}
	start := time.Now()
	data, err := c.encode(object)
	encode := time.Since(start)
	if err != nil {
		return err
	}
	start = time.Now()
	kept, err = c.decode(data)
	decode := time.Since(start)
	if err != nil {
		return err
	}
	var touched sums.Sums
	start = time.Now()
	decoded, err := c.decode(data)
	if err != nil {
		return err
	}
	c.touch(decoded, &touched)
	decodeTouch := time.Since(start)
	keptSums = touched
	if !c.readsOnly {
		s.add("encode", encode)
	}
	s.add("decode", decode)
	s.add("decode_touch", decodeTouch)
	return nil
}

// allocations runs each operation once for every frame between two readings of the runtime's counters; nothing is timed then.
func allocations(c *codec, frames [][]byte) (map[string]allocated, error) {
	objects, encoded := make([]any, len(frames)), make([][]byte, len(frames))
	for index, frame := range frames {
		object, err := c.prepare(frame)
		if err != nil {
			return nil, err
		}
		data, err := c.encode(object)
		if err != nil {
			return nil, err
		}
		objects[index], encoded[index] = object, append([]byte(nil), data...)
	}
	found := map[string]allocated{}
	for name, run := range operations(c) {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		for index := range frames {
			if err := run(objects[index], encoded[index]); err != nil {
				return nil, err
			}
		}
		runtime.ReadMemStats(&after)
		count := float64(len(frames))
		found[name] = allocated{
			Bytes:       float64(after.TotalAlloc-before.TotalAlloc) / count,
			Allocations: float64(after.Mallocs-before.Mallocs) / count,
		}
	}
	return found, nil
}

// clock is the overhead of the clock, which every sample contains: smallest step, and median of an empty section.
func clock() map[string]int64 {
	taken := make([]int64, clockSamples)
	for index := range taken {
		start := time.Now()
		taken[index] = time.Since(start).Nanoseconds()
	}
	sort.Slice(taken, func(i, j int) bool { return taken[i] < taken[j] })
	step := sort.Search(len(taken), func(index int) bool { return taken[index] > 0 })
	resolution := int64(1)
	if step < len(taken) {
		resolution = taken[step]
	}
	return map[string]int64{"resolution_ns": resolution, "read_ns": taken[len(taken)/2]}
}
