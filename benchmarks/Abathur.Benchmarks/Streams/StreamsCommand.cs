using System.Buffers;
using System.CommandLine;
using System.Diagnostics;
using System.Text.Json;
using Abathur.Benchmarks.Codecs;
using Abathur.Benchmarks.Match;
using Abathur.Compression;
using Abathur.Mcap;
using Abathur.Recordings;
using Encoding = Abathur.Sync.V1.Encoding;

namespace Abathur.Benchmarks.Streams;

/// <summary><c>streams FILE --json OUT [--dump DIR]</c>: the stream encodings and their competitors over consecutive frames of a
/// recording.</summary>
internal static class StreamsCommand
{
    private const int Ok = 0, Usage = 2, BadInput = 3;
    private const string Columns = "columns+zstd-stream";
    private static readonly JsonSerializerOptions Json = new()
    {
        PropertyNamingPolicy = JsonNamingPolicy.SnakeCaseLower,
        WriteIndented = true,
    };

    /// <summary>Runs the command line; exit codes as those of <c>match</c>.</summary>
    public static int Invoke(string[] args)
    {
        var file = new Argument<string>("FILE") { Description = "Recording (MCAP)" };
        var json = new Option<string>("--json") { Description = "File to write the result to", Required = true, HelpName = "OUT" };
        var dump = new Option<string?>("--dump")
        {
            Description = "Folder to write each stream with keyframes to, a file each",
            HelpName = "DIR",
        };
        var rounds = new Option<int>("--rounds")
        {
            Description = "Times over the frames; the first warms up",
            DefaultValueFactory = _ => 3,
            HelpName = "R",
        };
        var frames = new Option<int?>("--frames") { Description = "Frames to take, from the first on (default: all)", HelpName = "N" };
        var command = new RootCommand(
            "Encodes consecutive frames of a recording as each stream would, and times each.") { file, json, dump, rounds, frames };
        command.SetAction(parsed =>
        {
            if (parsed.GetValue(rounds) < 1 || parsed.GetValue(frames) < 1) return Refuse("--rounds and --frames must be at least 1.");
            try
            {
                using var recording = RecordedFrames.Open(parsed.GetRequiredValue(file));
                var count = Math.Min(recording.Count, parsed.GetValue(frames) ?? recording.Count);
                var result = Run(recording, count, parsed.GetValue(rounds), parsed.GetValue(dump));
                File.WriteAllText(parsed.GetRequiredValue(json), JsonSerializer.Serialize(result, Json) + "\n");
                return Ok;
            }
            catch (Exception e) when (e is RecordingException
                or McapException
                or InvalidDataException
                or CompressionException
                or IOException
                or UnauthorizedAccessException)
            {
                Console.Error.WriteLine($"streams: {e.Message}");
                return BadInput;
            }
        });
        var result = command.Parse(args);
        if (result.Errors.Count == 0) return result.Invoke();
        return Refuse(result.Errors[0].Message);
    }

    private static int Refuse(string message)
    {
        Console.Error.WriteLine($"streams: {message}");
        return Usage;
    }

    private static StreamsResult Run(RecordedFrames recording, int count, int rounds, string? dumpFolder)
    {
        var numbers = Enumerable.Range(0, count).ToArray();
        StreamRun[] runs =
        [
            new("protobuf", new(Encoding.Proto)),
            new("json", new(Encoding.Json)),
            new("protobuf+gzip", new(Encoding.Proto, Sync.V1.Compression.Gzip)),
            new("protobuf+zstd", new(Encoding.Proto, Sync.V1.Compression.Zstd)),
            new("zstd-stream", new(Encoding.Proto, Sync.V1.Compression.ZstdStream)),
            new("br-stream", new(Encoding.Proto, Sync.V1.Compression.BrStream)),
            new("columns", new(Encoding.Columns)),
            new(Columns, new(Encoding.Columns, Sync.V1.Compression.ZstdStream)),
        ];
        var random = new Random(1);
        var observationBytes = 0L;
        var keyframesAlone = new List<double>();
        try
        {
            for (var round = 1; round <= rounds; round++)
            {
                var isLast = round == rounds;
                random.Shuffle(runs);
                using var dumps = new StreamDumps(isLast ? dumpFolder : null, runs);
                foreach (var run in runs) run.Begin();
                foreach (var (number, observation) in recording.Read(numbers))
                {
                    foreach (var run in runs)
                    {
                        var isKeyframe = run.Encode(observation, number % StreamCodec.KeyframeInterval == 0);
                        if (isLast && isKeyframe && run.Name == Columns) keyframesAlone.Add(CompressAlone(observation));
                    }
                    if (isLast) observationBytes += observation.Length;
                }
            }
            var (mcapBytes, mcapFramesPerSecond) = Record(recording, numbers);
            return new StreamsResult
            {
                Environment = MatchEnvironment.Describe(MatchClock.Measure()),
                Recording = recording.FileName,
                Frames = count,
                ObservationBytes = (double)observationBytes / count,
                McapBytesPerFrame = mcapBytes,
                McapFramesPerSecond = mcapFramesPerSecond,
                KeyframeZstd19Bytes = keyframesAlone.Average(),
                Streams = runs.OrderBy(run => run.Name, StringComparer.Ordinal).ToDictionary(run => run.Name, run => run.ToFigures()),
            };
        }
        finally
        {
            foreach (var run in runs) run.Dispose();
        }
    }

    private static int CompressAlone(byte[] observation)
    {
        var output = new ArrayBufferWriter<byte>(observation.Length);
        using var compressor = PayloadCompression.Zstd.Create(19);
        compressor.Compress(observation, output);
        return output.WrittenCount;
    }

    private static (double BytesPerFrame, double FramesPerSecond) Record(RecordedFrames recording, int[] numbers)
    {
        using var writer = new RecordingWriter(Stream.Null, new RecordingMatch { MatchId = "bench" });
        long ticks = 0;
        foreach (var (number, observation) in recording.Read(numbers))
        {
            var start = Stopwatch.GetTimestamp();
            writer.WriteObservation((uint)number, number, observation);
            ticks += Stopwatch.GetTimestamp() - start;
        }
        var end = Stopwatch.GetTimestamp();
        writer.Close();
        ticks += Stopwatch.GetTimestamp() - end;
        return ((double)writer.BytesWritten / numbers.Length, numbers.Length * 1e9 / (ticks * MatchClock.NsPerTick));
    }
}
