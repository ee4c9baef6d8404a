using System.Diagnostics;
using System.Globalization;
using System.Text.Json;
using Abathur.Mcap;
using Abathur.Recordings;
using Abathur.Recordings.Delimited;
using Abathur.Recordings.Tests;
using Abathur.Sync.Cli;

namespace Abathur.Sync.Tests.Cli;

public class RecordingCommandTests
{
    private const int InFullChunks = 180;
    private static readonly string[] SmallUncompressedChunks = ["--chunk-size", "4096", "--compression", "none"];

    [Fact]
    public async Task ImportThenExport_ThroughPipes_GivesTheSameBytes()
    {
        using var folder = new TemporaryFolder();
        var path = folder.PathTo("a.mcap");
        var stream = Stream(50);
        using (var import = CliProcess.Start(
            "import", "-", "-o", path, "--tick-hz", "16", "--start-time", "2026-01-31T20:00:00Z", "--match-id", "m1"))
        {
            await import.StandardInput.BaseStream.WriteAsync(stream);
            import.StandardInput.Close();
            var (code, _, error) = await CliProcess.EndAsync(import);
            Assert.Equal((0, true), (code, error.Contains("50 observations", StringComparison.Ordinal)));
        }
        Assert.Equal(0, (await CliProcess.RunAsync("export", path, "-o", folder.PathTo("b.obs"))).ExitCode);
        Assert.Equal(stream, File.ReadAllBytes(folder.PathTo("b.obs")));

        var info = await CliProcess.RunAsync("info", path, "--json");
        using var json = JsonDocument.Parse(info.Output);
        Assert.Equal(50, json.RootElement.GetProperty("frames").GetInt64());
        Assert.Equal("m1", json.RootElement.GetProperty("match").GetProperty("match_id").GetString());
        Assert.Equal(16, json.RootElement.GetProperty("match").GetProperty("tick_hz").GetDouble());
        var text = (await CliProcess.RunAsync("info", path)).Output;
        Assert.Contains("/observation", text, StringComparison.Ordinal);
        Assert.DoesNotContain("\u001b", text, StringComparison.Ordinal);
        Assert.DoesNotContain(text.Split('\n'), line => line.TrimEnd('\r').EndsWith(' '));
    }

    [Fact]
    public async Task Cat_FieldsAndRange_PrintsJsonLines()
    {
        using var folder = new TemporaryFolder();
        var path = folder.PathTo("a.mcap");
        File.WriteAllBytes(path, RecordingSample.Write(Enumerable.Range(0, 50).Select(i => (uint)i)));
        var lines = await Lines("cat", path, "--start", "10", "--stop", "20", "--limit", "5", "--fields", "observation.game_loop");
        Assert.Equal(5, lines.Length);
        Assert.Equal(10, lines[0].GetProperty("game_loop").GetInt32());
        Assert.Equal("""{"observation":{"gameLoop":10}}""", lines[0].GetProperty("message").GetRawText());
        Assert.Equal(51, (await Lines("cat", path)).Length);
        Assert.Equal(10, (await Lines("cat", path, "--start", "10", "--stop", "20")).Length);
        var info = Assert.Single(await Lines("cat", path, "--topic", "/game_info", "--fields", "*"));
        Assert.Equal("Testmap LE", info.GetProperty("message").GetProperty("mapName").GetString());
    }

    [Theory]
    [InlineData(ExitCode.Usage, "frobnicate")]
    [InlineData(ExitCode.Usage, "info")]
    [InlineData(ExitCode.Usage, "info", "FILE", "--nonsense")]
    [InlineData(ExitCode.Usage, "cat", "FILE", "--fields", "observation.nonsense")]
    [InlineData(ExitCode.Usage, "cat", "FILE", "--topic", "/nonsense")]
    [InlineData(ExitCode.Usage, "import", "FILE", "-o", "OUT", "--level", "99")]
    [InlineData(ExitCode.Usage, "import", "FILE", "-o", "OUT", "--compression", "lz4")]
    [InlineData(ExitCode.Usage, "import", "FILE", "-o", "OUT", "--tick-hz", "0")]
    [InlineData(ExitCode.Usage, "import", "FILE", "-o", "OUT", "--start-time", "yesterday")]
    [InlineData(ExitCode.BadInput, "info", "MISSING")]
    [InlineData(ExitCode.BadInput, "info", "EMPTY")]
    [InlineData(ExitCode.BadInput, "info", "TEXT")]
    [InlineData(ExitCode.BadInput, "export", "TEXT", "-o", "OUT")]
    [InlineData(ExitCode.BadInput, "recover", "TEXT", "-o", "OUT")]
    [InlineData(ExitCode.BadInput, "recover", "FILE", "-o", "FILE")]
    [InlineData(ExitCode.BadInput, "import", "TEXT", "-o", "OUT")]
    [InlineData(ExitCode.BadInput, "import", "EMPTY", "-o", "OUT")]
    [InlineData(ExitCode.BadInput, "import", "MISSING", "-o", "OUT")]
    public async Task AnyVerb_BadInput_SaysSoInOneLine(int expected, params string[] arguments)
    {
        using var folder = new TemporaryFolder();
        File.WriteAllBytes(folder.PathTo("FILE"), RecordingSample.Write([1, 2]));
        File.WriteAllText(folder.PathTo("EMPTY"), "");
        File.WriteAllText(folder.PathTo("TEXT"), "This is not a recording but a text.");
        var (code, output, error) = await CliProcess.RunAsync(
            arguments.Select(argument => argument.All(char.IsUpper) ? folder.PathTo(argument) : argument).ToArray());
        Assert.Equal((expected, ""), (code, output));
        Assert.StartsWith("abathur-sync: ", error, StringComparison.Ordinal);
        Assert.Single(error.TrimEnd().Split('\n'));
        Assert.False(File.Exists(folder.PathTo("OUT")));
        Assert.False(File.Exists(folder.PathTo("OUT.part")));
    }

    [Fact]
    public async Task Import_KilledInTheMiddle_IsRecovered()
    {
        using var folder = new TemporaryFolder();
        var path = folder.PathTo("a.mcap");
        using (var import = CliProcess.Start(["import", "-", "-o", path, .. SmallUncompressedChunks]))
        {
            await import.StandardInput.BaseStream.WriteAsync(Stream(200));
            await import.StandardInput.BaseStream.FlushAsync();
            await AllFullChunksAsync(path + ".part");
            import.Kill();
            await import.WaitForExitAsync();
        }
        Assert.False(File.Exists(path));
        using (var cut = RecordingReader.Open(path + ".part")) Assert.True(cut.Truncated);
        Assert.Equal(0, (await CliProcess.RunAsync("recover", path + ".part")).ExitCode);
        using var reader = RecordingReader.Open(folder.PathTo("a.recovered.mcap"));
        Assert.False(reader.Truncated);
        var loops = RecordingSample.ReadLoops(reader);
        Assert.Equal(Enumerable.Range(0, loops.Count).Select(i => (uint)i), loops);
        Assert.InRange(loops.Count, InFullChunks, 200);
    }

    [Fact]
    public async Task Import_Interrupted_LeavesAClosedRecording()
    {
        if (OperatingSystem.IsWindows()) return;
        using var folder = new TemporaryFolder();
        var path = folder.PathTo("a.mcap");
        using var import = CliProcess.Start(["import", "-", "-o", path, .. SmallUncompressedChunks]);
        await import.StandardInput.BaseStream.WriteAsync(Stream(200));
        await import.StandardInput.BaseStream.FlushAsync();
        await AllFullChunksAsync(path + ".part");
        using (var kill = Process.Start("kill", ["-INT", import.Id.ToString(CultureInfo.InvariantCulture)])) await kill.WaitForExitAsync();
        var (code, _, error) = await CliProcess.EndAsync(import);
        Assert.Equal(ExitCode.Interrupted, code);
        Assert.Contains("interrupted", error, StringComparison.Ordinal);
        using var reader = RecordingReader.Open(path);
        Assert.InRange(reader.FrameCount, InFullChunks, 200);
        Assert.False(reader.Truncated);
        Assert.False(File.Exists(path + ".part"));
    }

    [Fact]
    public async Task Cat_ReaderGone_EndsQuietly()
    {
        using var folder = new TemporaryFolder();
        var path = folder.PathTo("a.mcap");
        File.WriteAllBytes(path, RecordingSample.Write(Enumerable.Range(0, 5000).Select(i => (uint)i)));
        using var cat = CliProcess.Start("cat", path);
        await cat.StandardOutput.ReadLineAsync();
        cat.StandardOutput.Close();
        var error = await cat.StandardError.ReadToEndAsync();
        await cat.WaitForExitAsync();
        Assert.Equal((0, ""), (cat.ExitCode, error));
    }

    [Fact]
    public async Task Import_DiskFull_NamesTheFile()
    {
        if (!File.Exists("/dev/full")) return;
        using var folder = new TemporaryFolder();
        File.WriteAllBytes(folder.PathTo("a.obs"), Stream(3));
        var (code, _, error) = await CliProcess.RunAsync("import", folder.PathTo("a.obs"), "-o", "/dev/full");
        Assert.Equal(ExitCode.Failed, code);
        Assert.Contains("cannot write /dev/full", error, StringComparison.Ordinal);
    }

    private static async Task<JsonElement[]> Lines(params string[] arguments)
    {
        var (code, output, error) = await CliProcess.RunAsync(arguments);
        Assert.Equal((0, ""), (code, error));
        return output.Split('\n', StringSplitOptions.RemoveEmptyEntries).Select(line => JsonDocument.Parse(line).RootElement).ToArray();
    }

    /// <summary>Waits until a file that is being written has all chunks that 200 observations of some 240 bytes fill.</summary>
    private static Task AllFullChunksAsync(string path) => CliProcess.UntilAsync(() =>
    {
        if (!File.Exists(path)) return false;
        try
        {
            using var reader = RecordingReader.Open(path);
            return RecordingSample.ReadLoops(reader).Count >= InFullChunks;
        }
        catch (Exception e) when (e is McapException or RecordingException)
        {
            // It has been begun just now.
            return false;
        }
    });

    private static byte[] Stream(int count)
    {
        using var stream = new MemoryStream();
        var writer = new DelimitedObservationWriter(stream);
        for (var loop = 0u; loop < count; loop++) writer.Write(RecordingSample.Observation(loop));
        return stream.ToArray();
    }
}
