using Abathur.Sync.Cli;

namespace Abathur.Sync.Tests.Cli;

public sealed class RecoverCommandLineTests
{
    [Theory]
    [InlineData("match.mcap", "match.recovered.mcap")]
    [InlineData("match.mcap.part", "match.recovered.mcap")]
    [InlineData("match.mcap.killed-1.part", "match.killed-1.recovered.mcap")]
    [InlineData("match.mcap.killed-12.part", "match.killed-12.recovered.mcap")]
    [InlineData("match.killed-1.part", "match.killed-1.recovered.mcap")]
    public void DefaultOutput_EachName_IsBesideItAndOfItsOwn(string input, string expected) =>
        Assert.Equal(expected, RecoverCommandLine.DefaultOutput(input));
}
