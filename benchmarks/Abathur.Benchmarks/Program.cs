using Abathur.Benchmarks;
using Abathur.Benchmarks.Clients;
using Abathur.Benchmarks.Baseline;
using Abathur.Benchmarks.Match;

// The baseline servers are started by benchmarks/python; client is the C# client for benchmarks/python/client.py; a match
// run times whole recordings; levels and noise make input for other runs; everything else is BenchmarkDotNet's.
if (args is ["baseline", .. var rest]) return BaselineOptions.Invoke(rest);
if (args is ["client", .. var client]) return await ClientCommand.InvokeAsync(client, Console.Out, Console.Error);
if (args is ["match", .. var match]) return MatchCommand.Invoke(match, Console.Out, Console.Error);
if (args is ["levels", .. var levels]) return LevelsCommand.Invoke(levels, Console.Error);
if (args is ["noise", .. var noise]) return NoiseCommand.Invoke(noise, Console.Out, Console.Error);
return SingleOperations.Run(args, Console.Error);
