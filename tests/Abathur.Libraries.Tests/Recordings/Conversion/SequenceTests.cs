using System.Security.Cryptography;
using Abathur.Compression;
using Abathur.Recordings.Conversion;
using Abathur.Recordings.Delimited;

namespace Abathur.Recordings.Tests.Conversion;

/// <summary>Import and export of the sequences and of the real observations.</summary>
public class SequenceTests
{
    private static readonly ImportOptions Options = new() { StartTimeUnixNs = 1_700_000_000_000_000_000, MatchId = "m" };

    [SharedFact("sequences")]
    public void Import_Sequences_ExportsTheSameBytes()
    {
        if (!LibZstd.IsAvailable) return;
        using var folder = new TemporaryFolder();
        foreach (var file in SequenceFile.Tested())
        {
            var path = folder.PathTo("match.mcap");
            var options = Options with { Overwrite = true, Recording = new RecordingOptions { Level = 1 } };
            var result = RecordingImporter.Import([ImportInput.FromFile(file)], path, options);
            Assert.True(result.FileBytes < result.ObservationBytes / 20);
            using var reader = RecordingReader.Open(path);
            Assert.Equal(
                (
                    result.FrameCount, result.FirstGameLoop,
                    result.LastGameLoop), (reader.FrameCount, reader.FirstGameLoop, reader.LastGameLoop));
            using var exported = new HashingStream();
            RecordingExporter.Export(reader, exported);
            Assert.Equal(HashOf(file), exported.Hash());

            var middle = (result.FirstGameLoop + result.LastGameLoop) / 2;
            Assert.True(reader.SeekToGameLoop(middle));
            Assert.True(reader.ReadNext(out var found));
            Assert.InRange(found.GameLoop, middle, middle + 8);
        }
    }

    [SharedFact("observations")]
    public void Import_FolderOfRealObservations_KeepsEachByteForByte()
    {
        using var folder = new TemporaryFolder();
        var path = folder.PathTo("real.mcap");
        var inputs = ImportInput.FromFolder(SharedData.PathTo("observations"));
        Assert.Equal(81, inputs.Count);
        var gameInfo = File.ReadAllBytes(SharedData.PathTo("observations", "AcolyteLE", "game_info.binpb"));
        var gameData = Directory.GetFiles(SharedData.PathTo("observations"), "game_data.binpb", SearchOption.AllDirectories).First();
        var result = RecordingImporter.Import(inputs, path, Options with { GameInfo = gameInfo, GameData = File.ReadAllBytes(gameData) });
        Assert.Equal(81, result.FrameCount);
        using var reader = RecordingReader.Open(path);
        Assert.Equal(81, reader.FrameCount);
        Assert.Equal("Acolyte LE", reader.Match.MapName);
        Assert.Equal(gameInfo, reader.GameInfo!.Value.ToArray());
        Assert.Equal(File.ReadAllBytes(gameData), reader.GameData!.Value.ToArray());
        var captured = 0L;
        foreach (var input in inputs)
        {
            Assert.True(reader.ReadNext(out var observation));
            Assert.Equal(File.ReadAllBytes(input.Name), observation.Payload.ToArray());
            Assert.True(observation.GameLoop is 0 or 42);
            // Readers go by log time: it rises although the game loops of 81 maps do not.
            Assert.InRange(observation.CapturedUnixNs, captured + 1, long.MaxValue);
            Assert.InRange(
                observation.CapturedUnixNs, 1_700_000_000_000_000_000 + (long)Math.Round(observation.GameLoop * 1e9 / 22.4), long.MaxValue);
            captured = observation.CapturedUnixNs;
        }
        Assert.False(reader.ReadNext(out _));
    }

    [Fact]
    public void Import_SeveralStreams_FollowEachOther()
    {
        using var folder = new TemporaryFolder();
        var path = folder.PathTo("a.mcap");
        RecordingImporter.Import([Stream(1, 2), Stream(5)], path, Options);
        using var reader = RecordingReader.Open(path);
        Assert.Equal([1u, 2u, 5u], RecordingSample.ReadLoops(reader));
        Assert.Equal(("m", "import", 22.4), (reader.Match.MatchId, reader.Match.Source, reader.Match.TickHz));
    }

    [Fact]
    public void Import_SameInputTwice_GivesTheSameFile()
    {
        using var folder = new TemporaryFolder();
        foreach (var name in new[] { "a", "b" }) RecordingImporter.Import([Stream(1, 2)], folder.PathTo(name), Options);
        Assert.Equal(File.ReadAllBytes(folder.PathTo("a")), File.ReadAllBytes(folder.PathTo("b")));
    }

    [Fact]
    public void Import_BadFrame_NamesItAndLeavesNothing()
    {
        using var folder = new TemporaryFolder();
        var bad = new ImportInput("in.obs", () => new MemoryStream([2, 0x08, 1, 3, 0xFF, 0xFF, 0xFF]), IsSingle: false);
        var error = Assert.Throws<RecordingException>(() => RecordingImporter.Import([Stream(1), bad], folder.PathTo("a.mcap"), Options));
        Assert.Contains("in.obs", error.Message, StringComparison.Ordinal);
        Assert.Contains("byte offset", error.Message, StringComparison.Ordinal);
        Assert.False(File.Exists(folder.PathTo("a.mcap")));
        Assert.False(File.Exists(folder.PathTo("a.mcap.part")));
    }

    [Fact]
    public void Import_EmptyOrExistingOutput_SaysSo()
    {
        using var folder = new TemporaryFolder();
        Assert.Contains(
            "no observations", Throws(new ImportInput("in", () => new MemoryStream(), false), folder.PathTo("a")),
            StringComparison.Ordinal);
        File.WriteAllText(folder.PathTo("b"), "mine");
        var exists = Assert.Throws<RecordingException>(() => RecordingImporter.Import([Stream(1)], folder.PathTo("b"), Options));
        Assert.Equal(($"{folder.PathTo("b")} exists", RecordingRemedy.Overwrite), (exists.Message, exists.Remedy));
        Assert.Equal("mine", File.ReadAllText(folder.PathTo("b")));
        Assert.Contains(
            "game info", Throws(Stream(1), folder.PathTo("c"), Options with { GameInfo = new byte[] { 0xFF } }), StringComparison.Ordinal);
    }

    [Fact]
    public void Import_Cancelled_ClosesWhatItHas()
    {
        using var folder = new TemporaryFolder();
        using var cancellation = new CancellationTokenSource();
        var input = Stream(1, 2, 3);
        var cancelling = new ImportInput("in", () =>
        {
            cancellation.Cancel();
            return input.Open();
        }, IsSingle: false);
        var result = RecordingImporter.Import([cancelling], folder.PathTo("a"), Options, cancellation.Token);
        Assert.Equal((true, 1L), (result.Interrupted, result.FrameCount));
        using var reader = RecordingReader.Open(folder.PathTo("a"));
        Assert.Equal((1L, false), (reader.FrameCount, reader.Truncated));
    }

    private static string Throws(ImportInput input, string output, ImportOptions? options = null) =>
        Assert.Throws<RecordingException>(() => RecordingImporter.Import([input], output, options ?? Options)).Message;

    private static ImportInput Stream(params uint[] loops)
    {
        using var stream = new MemoryStream();
        var writer = new DelimitedObservationWriter(stream);
        foreach (var loop in loops) writer.Write(RecordingSample.Observation(loop));
        var bytes = stream.ToArray();
        return new ImportInput("stream", () => new MemoryStream(bytes), IsSingle: false);
    }

    private static string HashOf(string zstdFile)
    {
        using var source = new ZstdDecompressionStream(File.OpenRead(zstdFile));
        return Convert.ToHexString(SHA256.HashData(source));
    }

    private sealed class HashingStream : MemoryStream
    {
        private readonly IncrementalHash _hash = IncrementalHash.CreateHash(HashAlgorithmName.SHA256);

        public override void Write(ReadOnlySpan<byte> buffer) => _hash.AppendData(buffer);

        public override void Write(byte[] buffer, int offset, int count) => _hash.AppendData(buffer, offset, count);

        public string Hash() => Convert.ToHexString(_hash.GetHashAndReset());

        protected override void Dispose(bool disposing)
        {
            _hash.Dispose();
            base.Dispose(disposing);
        }
    }
}
