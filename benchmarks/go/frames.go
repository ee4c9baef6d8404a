package main

import (
	"encoding/binary"
	"fmt"
	"os"
	"path/filepath"
	"sort"
	"strings"
)

// readFrames reads messages with their lengths before them, as varints.
func readFrames(path string) ([][]byte, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	var frames [][]byte
	for len(data) > 0 {
		length, size := binary.Uvarint(data)
		if size <= 0 || length > uint64(len(data)-size) {
			return nil, fmt.Errorf("%s: frame %d is truncated", path, len(frames))
		}
		end := size + int(length)
		frames = append(frames, data[size:end:end])
		data = data[end:]
	}
	if len(frames) == 0 {
		return nil, fmt.Errorf("%s has no frames", path)
	}
	return frames, nil
}

// level is one message of a complexity, named by its file.
type level struct {
	name    string
	message []byte
}

// readLevels reads the single messages of a folder, by name.
func readLevels(folder string) ([]level, error) {
	if folder == "" {
		return nil, nil
	}
	paths, err := filepath.Glob(filepath.Join(folder, "*.binpb"))
	if err != nil {
		return nil, err
	}
	sort.Strings(paths)
	var levels []level
	for _, path := range paths {
		message, err := os.ReadFile(path)
		if err != nil {
			return nil, err
		}
		levels = append(levels, level{strings.TrimSuffix(filepath.Base(path), ".binpb"), message})
	}
	return levels, nil
}
