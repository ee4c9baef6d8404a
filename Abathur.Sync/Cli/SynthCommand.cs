using System.Buffers;
using System.CommandLine;
using Abathur.Sync.Sources.Synth;

namespace Abathur.Sync.Cli;

/// <summary>The verb <c>synth</c>: writes a simulated match.</summary>
internal static class SynthCommand
{
    public static Command Create()
    {
        var preset = new Option<string>("--preset") { Description = "skirmish: 60 s with a fight; elite: a whole match in large frames", DefaultValueFactory = _ => "skirmish" };
        preset.AcceptOnlyFromAmong("skirmish", "elite");
        var seed = new Option<ulong?>("--seed") { Description = "start of the random sequence (default: the preset's)" };
        var steps = new Option<int?>("--steps") { Description = "frames to make (default: the preset's)" };
        steps.Validators.Add(result =>
        {
            // What is no number at all is reported by the parser itself.
            if (int.TryParse(result.Tokens.SingleOrDefault()?.Value, out var count) && count is < 1 or > 1_000_000) result.AddError("--steps is 1 to 1000000");
        });
        var output = new Option<string>("--output", "-o") { Description = "file to write; .obs or - (standard output) for length-delimited observations", Required = true };
        var command = new Command("synth", "Simulate a match and write its observations") { preset, seed, steps, output };
        command.SetAction(parsed =>
        {
            var chosen = parsed.GetValue(preset) == "elite" ? SynthOptions.Elite : SynthOptions.Skirmish;
            var options = chosen with { Seed = parsed.GetValue(seed) ?? chosen.Seed, Steps = parsed.GetValue(steps) ?? chosen.Steps };
            return Write(options, parsed.GetValue(output)!);
        });
        return command;
    }

    private static int Write(SynthOptions options, string path)
    {
        if (path != "-" && !path.EndsWith(".obs", StringComparison.OrdinalIgnoreCase))
        {
            Console.Error.WriteLine($"synth: {path}: the name of the output ends in .obs, or is - for standard output");
            return 2;
        }

        try
        {
            using var stream = path == "-" ? Console.OpenStandardOutput() : File.Create(path);
            WriteDelimited(new MatchGenerator(options), stream);
            return 0;
        }
        catch (Exception error) when (error is IOException or UnauthorizedAccessException)
        {
            Console.Error.WriteLine($"synth: {path}: {error.Message}");
            return 1;
        }
    }

    /// <summary>Every frame with its length as a varint in front, the form that <c>import</c> reads.</summary>
    internal static void WriteDelimited(MatchGenerator generator, Stream stream)
    {
        var header = new ArrayBufferWriter<byte>(5);
        while (generator.Next())
        {
            header.ResetWrittenCount();
            for (var length = (uint)generator.Observation.Length; ; length >>= 7)
            {
                header.GetSpan(1)[0] = (byte)(length < 128 ? length : length | 128);
                header.Advance(1);
                if (length < 128) break;
            }

            stream.Write(header.WrittenSpan);
            stream.Write(generator.Observation.Span);
        }
    }
}
