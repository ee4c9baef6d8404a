module abathur.sync/benchmarks/go

go 1.19

require (
	github.com/gogo/protobuf v1.3.2
	github.com/google/flatbuffers v25.12.19+incompatible
	github.com/json-iterator/go v1.1.12
	github.com/planetscale/vtprotobuf v0.5.0
	google.golang.org/protobuf v1.33.0
)

require (
	github.com/modern-go/concurrent v0.0.0-20180228061459-e0a39a4cb421 // indirect
	github.com/modern-go/reflect2 v1.0.2 // indirect
)
