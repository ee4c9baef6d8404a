using Abathur.Recordings;
using Abathur.Sync.Matches.Recording;

namespace Abathur.Sync.Tests.Matches.Recording;

public class RecordingAdviceTests
{
    [Theory]
    [InlineData(RecordingRemedy.None, "a.mcap is wrong")]
    [InlineData(RecordingRemedy.Overwrite, "a.mcap is wrong: use --force to replace it")]
    [InlineData(RecordingRemedy.RaiseMaxFrames, "a.mcap is wrong: --max-frames allows more")]
    [InlineData(RecordingRemedy.RaiseMaxBytes, "a.mcap is wrong: --max-bytes allows more")]
    [InlineData(RecordingRemedy.Recover, "a.mcap is wrong; `abathur-sync recover` makes a new file of its complete part")]
    [InlineData(RecordingRemedy.Open, "a.mcap is wrong: `abathur-sync info` shows its content")]
    [InlineData(
        RecordingRemedy.GiveGameInfo,
        "a.mcap is wrong: give it with --game-info FILE (a serialized ResponseGameInfo of the same map and game version)")]
    [InlineData(
        RecordingRemedy.GiveGameData,
        "a.mcap is wrong: give it with --game-data FILE (a serialized ResponseData of the same map and game version)")]
    public void Describe_Remedy_NamesTheCommandOrOption(RecordingRemedy remedy, string expected) =>
        Assert.Equal(expected, RecordingAdvice.Describe(new RecordingException("a.mcap is wrong") { Remedy = remedy }));

    [Theory]
    [InlineData("Access to the path '/a/King's.mcap' is denied.", "/a/King's.mcap: permission denied: choose another file or folder, ")]
    [InlineData("No.", "No.: permission denied: ")]
    public void Describe_MissingPermission_NamesTheFile(string message, string expected) =>
        Assert.StartsWith(expected, RecordingAdvice.Describe(new UnauthorizedAccessException(message)), StringComparison.Ordinal);

    [Fact]
    public void Describe_AnotherException_IsItsMessage() =>
        Assert.Equal("disk full", RecordingAdvice.Describe(new IOException("disk full")));
}
