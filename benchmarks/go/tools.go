//go:build tools

// Package main names the plugins of protoc here, so that go.mod and go.sum pin them; nothing is built from this file.
package main

import (
	_ "github.com/gogo/protobuf/protoc-gen-gogofast"
	_ "github.com/planetscale/vtprotobuf/cmd/protoc-gen-go-vtproto"
	_ "google.golang.org/protobuf/cmd/protoc-gen-go"
)
