using Abathur.Sync.Cli;

namespace Abathur.Sync.Tests.Cli;

public class ProgressLineTests
{
    [Theory]
    [InlineData(20, " 25 %  0:06 left")]
    [InlineData(32, "recover   25 %  0:06 left")]
    [InlineData(45, "recover   25 %  10.0 MB/s  0:06 left")]
    [InlineData(60, "recover [#####----------------]   25 %  10.0 MB/s  0:06 left")]
    [InlineData(200, "recover [##########------------------------------]   25 %  10.0 MB/s  0:06 left")]
    public void Line_AnyWidth_FitsAndLeavesOutWholeParts(int width, string expected)
    {
        var line = ProgressLine.Line("recover", null, 20_000_000, 80_000_000, TimeSpan.FromSeconds(2), width);
        Assert.Equal(expected, line);
    }

    [Fact]
    public void Line_EveryWidthFromFive_IsNeverWider()
    {
        for (var width = 5; width <= 250; width++)
        {
            foreach (var total in new long?[] { null, 1, 1_000_000 })
            {
                var line = ProgressLine.Line("import", "frames", 1, total, TimeSpan.FromSeconds(1), width);
                Assert.True(line.Length <= Math.Max(width, 10), $"{width}: {line}");
            }
        }
    }

    [Fact]
    public void Line_TotalUnknown_HasAmountAndRate() => Assert.Equal(
        "import  1,500 frames  750 frames/s", ProgressLine.Line("import", "frames", 1500, null, TimeSpan.FromSeconds(2), 60));

    [Fact]
    public void Line_MoreThanAnHourLeft_HasHours() => Assert.EndsWith(
        "  2:46:30 left", ProgressLine.Line("import", "frames", 10, 10_000, TimeSpan.FromSeconds(10), 60), StringComparison.Ordinal);

    [Fact]
    public void Report_TenTimesASecondAtMost_AndNothingRemains()
    {
        var clock = new ManualClock();
        using var terminal = new StringWriter();
        using (var progress = new ProgressLine(terminal, "synth", "frames", 1000, clock))
        {
            for (var done = 1; done <= 1000; done++)
            {
                clock.Advance(TimeSpan.FromMilliseconds(1));
                progress.Report(done);
            }
        }
        var drawn = terminal.ToString().Split('\r', StringSplitOptions.RemoveEmptyEntries);
        Assert.Equal(11, drawn.Length);
        Assert.Contains(" 50 %  1,000 frames/s\u001b[K", drawn[4], StringComparison.Ordinal);
        Assert.Contains("100 %  1,000 frames/s  0:00 left\u001b[K", drawn[9], StringComparison.Ordinal);
        Assert.Equal("\u001b[K", drawn[^1]);
    }

    [Fact]
    public void Report_WithoutATerminal_WritesNothing()
    {
        var clock = new ManualClock();
        using var progress = new ProgressLine(null, "synth", "frames", 10, clock);
        clock.Advance(TimeSpan.FromSeconds(1));
        progress.Report(5);
    }

    [Fact]
    public void Dispose_BeforeTheFirstTenthOfASecond_WritesNothing()
    {
        using var terminal = new StringWriter();
        using (var progress = new ProgressLine(terminal, "synth", "frames", 10, new ManualClock())) progress.Report(5);
        Assert.Equal("", terminal.ToString());
    }
}
