namespace Abathur.Sync.Tests.Cli;

/// <summary><c>emulate</c> as a process of its own: what it refuses.</summary>
public sealed class EmulateCommandTests
{
    [Theory]
    [InlineData("9800", "9400", 2, "--stop 9400 is before --start 9800")]
    [InlineData("10304", "20000", 3, "ends at game loop 10303, before the start at 10304")]
    [InlineData("0", "8959", 3, "begins at game loop 8960, after the stop at 8959")]
    public async Task StartAndStop_WithoutAnObservationBetweenThem_AreRefused(string start, string stop, int code, string message)
    {
        string[] arguments = ["emulate", CommittedRecording.Path, "--listen", "0", "--start", start, "--stop", stop];
        var (exitCode, output, error) = await CliProcess.RunAsync(arguments);
        Assert.Equal(code, exitCode);
        Assert.Empty(output);
        Assert.Contains(message, error, StringComparison.Ordinal);
        Assert.Single(error.TrimEnd().Split('\n'));
    }
}
