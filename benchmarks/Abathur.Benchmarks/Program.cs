using Abathur.Benchmarks.Floor;
using BenchmarkDotNet.Running;

// The floor server is started by benchmarks/python/transports.py; everything else is BenchmarkDotNet's.
if (args is ["floor", .. var rest]) return FloorOptions.Invoke(rest, FloorServer.RunAsync);
BenchmarkSwitcher.FromAssembly(typeof(Program).Assembly).Run(args);
return 0;
