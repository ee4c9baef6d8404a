using Abathur.Sync.Cli;
using Abathur.Sync.V1;
using Google.Protobuf.WellKnownTypes;
using Spectre.Console;
using Status = Abathur.Sync.V1.Status;

namespace Abathur.Sync.Tests.Cli;

public class StatusTableTests
{
    [Theory]
    [InlineData(60, "subscriber policy frames dropped lag")]
    [InlineData(80, "subscriber policy encoding frames dropped lag")]
    [InlineData(200, "subscriber by policy encoding frames dropped lag waiting Mbit/s")]
    public void Create_Width_LeavesOutColumnsByImportance(int width, string headings)
    {
        var lines = Render(width);
        Assert.Equal(headings.Split(' '), lines.Single(line => line.Contains("subscriber", StringComparison.Ordinal)).Split(
            ' ', StringSplitOptions.RemoveEmptyEntries));
    }

    [Fact]
    public void Create_EveryWidthFrom30_WrapsNothingAndCutsNoCell()
    {
        var known = Words(Render(200));
        for (var width = 30; width <= 200; width++)
        {
            var lines = Render(width);
            Assert.All(lines, line => Assert.True(line.Length <= width, $"{width}: {line}"));
            // Eight facts, a blank line, the headings between two rules or blanks, and two subscribers.
            Assert.Equal(Render(200).Length, lines.Length);
            if (width >= 60) Assert.Empty(Words(lines).Except(known));
        }
    }

    [Theory]
    [InlineData(30, "▶ loop   9012 / 10303")]
    [InlineData(60, "▶ loop   9012 / 10303      22 frames/s (×1)   12 dropped")]
    [InlineData(80, "▶ loop   9012 / 10303      22 frames/s (×1)   2 agents   12 dropped")]
    [InlineData(200, "▶ loop   9012 / 10303      22 frames/s (×1)   2 agents   12 dropped")]
    public void PlaybackLine_Width_LeavesOutWholeParts(int width, string expected)
    {
        var status = Sample();
        Assert.Equal(expected, PlaybackView.Line(status.Playback, status, width - 1));
    }

    [Fact]
    public void Create_StatusWithoutLoad_HasNoRowForIt()
    {
        var status = Sample();
        Assert.Contains(Render(80), line => line.StartsWith("process", StringComparison.Ordinal));
        status.Process = new() { Version = "1.0.0", Uptime = Duration.FromTimeSpan(TimeSpan.FromHours(30)) };
        Assert.DoesNotContain(Render(80, status), line => line.StartsWith("process", StringComparison.Ordinal));
    }

    private static string[] Words(IEnumerable<string> lines) =>
        [.. lines.SelectMany(line => line.Split(' ', StringSplitOptions.RemoveEmptyEntries)).Select(word => word.Trim('─', ','))];

    private static string[] Render(int width, Status? status = null)
    {
        status ??= Sample();
        using var text = new StringWriter();
        var console = AnsiConsole.Create(new AnsiConsoleSettings { Ansi = AnsiSupport.No, Out = new AnsiConsoleOutput(text) });
        console.Profile.Width = width;
        console.Write(StatusTable.Create("http://127.0.0.1:22402", status, status, TimeSpan.FromSeconds(1), width));
        return [.. text.ToString().Split('\n').Select(line => line.TrimEnd()).SkipLast(1)];
    }

    private static Status Sample() => new()
    {
        Match = new() { MapName = "Synthetic LE", Source = SourceKind.Playback, TickHz = 22.4, Simulated = true },
        Playback = new() { GameLoop = 9012, FirstGameLoop = 8960, LastGameLoop = 10303, Rate = 1, Loop = true },
        FramesPublished = 123456,
        FramesPerSecond = 22.4,
        Recording = new() { Path = "/srv/recordings/of/a/long/night/match.mcap", Frames = 123456, FramesDropped = 3 },
        Actions = new() { Given = 1234, Failed = 12, Late = 3, Refused = 4 },
        FrameBudget = new()
        {
            Bot = new() { MeanMs = 12.3 },
            Daemon = new() { MeanMs = 0.12 },
            SkippedGameLoops = 12,
        },
        Process = new()
        {
            Version = "1.0.0",
            Uptime = Duration.FromTimeSpan(TimeSpan.FromHours(30)),
            CpuTime = Duration.FromTimeSpan(TimeSpan.FromSeconds(99)),
            WorkingSetBytes = 123_000_000,
            PeakWorkingSetBytes = 150_000_000,
        },
        Subscribers =
        {
            new SubscriberStatus
            {
                Id = 1,
                Name = "abathur watch",
                Transport = "grpc",
                Policy = Policy.Latest,
                Encoding = Encoding.Proto,
                FramesSent = 123456,
            },
            new SubscriberStatus
            {
                Id = 2,
                Peer = "127.0.0.1:54321",
                Transport = "socket",
                Policy = Policy.Lockstep,
                Encoding = Encoding.Columns,
                Compression = V1.Compression.ZstdStream,
                FramesSent = 123444,
                FramesDropped = 12,
            },
        },
    };
}
