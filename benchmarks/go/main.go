// Command go measures codecs of Go over frames that benchmarks/python/go.py gives it, and writes what it has measured as JSON.
package main

import (
	"encoding/json"
	"flag"
	"fmt"
	"math/rand"
	"os"
	"runtime"
	"strings"
	"time"

	"abathur.sync/benchmarks/go/sums"
)

type options struct {
	frames    string
	levels    string
	codecs    string
	rounds    int
	seed      int64
	levelTime time.Duration
	warmUp    time.Duration
	out       string
}

// row is a codec over frames: those of the recording, or the one of a level.
type row struct {
	Footnotes         []string             `json:"footnotes"`
	CannotCarry       []string             `json:"cannot_carry"`
	Error             string               `json:"error,omitempty"`
	Failed            int                  `json:"failed"`
	LostUnknownFields int                  `json:"lost_unknown_fields"`
	Bytes             []int                `json:"bytes"`
	Sums              []sums.Sums          `json:"sums"`
	Samples           samples              `json:"samples"`
	Allocated         map[string]allocated `json:"allocated"`
}

type output struct {
	Runtime string                     `json:"runtime"`
	Clock   map[string]int64           `json:"clock"`
	Codecs  map[string]*row            `json:"codecs"`
	Levels  map[string]map[string]*row `json:"levels"`
}

func main() {
	var o options
	flag.StringVar(&o.frames, "frames", "", "file of length-delimited messages")
	flag.StringVar(&o.levels, "levels", "", "folder of single messages")
	flag.StringVar(&o.codecs, "codecs", "", "names, with commas between")
	flag.IntVar(&o.rounds, "rounds", 1, "passes over the frames")
	flag.Int64Var(&o.seed, "seed", 1, "start of the order of the codecs")
	flag.DurationVar(&o.levelTime, "level-time", time.Second, "time for one operation on one level")
	flag.DurationVar(&o.warmUp, "warm-up", 200*time.Millisecond, "time to run each codec before it is timed")
	flag.StringVar(&o.out, "out", "", "file to write")
	flag.Parse()
	if err := run(o); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(o options) error {
	frames, err := readFrames(o.frames)
	if err != nil {
		return err
	}
	levels, err := readLevels(o.levels)
	if err != nil {
		return err
	}
	result := output{Runtime: runtime.Version(), Clock: clock(), Codecs: map[string]*row{}, Levels: map[string]map[string]*row{}}
	var names []string
	for _, name := range strings.Split(o.codecs, ",") {
		c := catalog[name]
		if c == nil {
			return fmt.Errorf("there is no codec %q", name)
		}
		result.Codecs[name] = checkedRow(c, frames)
		if result.Codecs[name].Error == "" {
			names = append(names, name)
		}
		for _, each := range levels {
			if result.Levels[each.name] == nil {
				result.Levels[each.name] = map[string]*row{}
			}
			result.Levels[each.name][name] = checkedRow(c, [][]byte{each.message})
		}
	}
	random := rand.New(rand.NewSource(o.seed))
	if err := timeFrames(&result, names, frames, o, random); err != nil {
		return err
	}
	if len(levels) > 0 {
		if err := timeLevels(&result, levels, o, random); err != nil {
			return err
		}
	}
	text, err := json.Marshal(result)
	if err != nil {
		return err
	}
	return os.WriteFile(o.out, text, 0o644)
}

// checkedRow checks every frame before anything is timed.
func checkedRow(c *codec, frames [][]byte) *row {
	found := &row{Footnotes: c.footnotes, CannotCarry: c.cannotCarry, Samples: samples{}, Allocated: map[string]allocated{}}
	for index, frame := range frames {
		result, err := check(c, frame)
		if err != nil {
			found.Error, found.Failed = err.Error(), index
			return found
		}
		found.Bytes = append(found.Bytes, result.size)
		found.Sums = append(found.Sums, result.sums)
		if result.lostUnknownFields {
			found.LostUnknownFields++
		}
	}
	return found
}

func timeFrames(result *output, names []string, frames [][]byte, o options, random *rand.Rand) error {
	for _, name := range names {
		if err := warmUp(catalog[name], frames, o.warmUp); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
	}
	for round := 1; round <= o.rounds; round++ {
		shuffle(names, random)
		for _, name := range names {
			progress("round %d of %d: timing %s", round, o.rounds, name)
			if err := result.Codecs[name].Samples.timeRound(catalog[name], frames); err != nil {
				return fmt.Errorf("%s: %w", name, err)
			}
		}
	}
	for _, name := range names {
		found, err := allocations(catalog[name], frames)
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		result.Codecs[name].Allocated = found
	}
	return nil
}

func timeLevels(result *output, levels []level, o options, random *rand.Rand) error {
	if err := setBenchTime(o.levelTime); err != nil {
		return err
	}
	names := strings.Split(o.codecs, ",")
	for round := 1; round <= o.rounds; round++ {
		shuffle(names, random)
		for _, name := range names {
			progress("round %d of %d: levels of %s", round, o.rounds, name)
			for _, each := range levels {
				found := result.Levels[each.name][name]
				if found.Error != "" {
					continue
				}
				if err := found.addLevelRound(catalog[name], each.message); err != nil {
					return fmt.Errorf("%s, %s: %w", each.name, name, err)
				}
			}
		}
	}
	return nil
}

func shuffle(names []string, random *rand.Rand) {
	random.Shuffle(len(names), func(i, j int) { names[i], names[j] = names[j], names[i] })
}

func progress(format string, values ...any) {
	fmt.Fprintf(os.Stderr, format+"\n", values...)
}
