using Abathur.Sync.Cli;

namespace Abathur.Sync.Tests.Cli;

public class TimeTextTests
{
    [Theory]
    [InlineData("60", 60.0)]
    [InlineData("60s", 60.0)]
    [InlineData("0.1s", 0.1)]
    [InlineData("1.5m", 90.0)]
    [InlineData("1h", 3600.0)]
    [InlineData("0", 0.0)]
    [InlineData("", null)]
    [InlineData("s", null)]
    [InlineData("-1s", null)]
    [InlineData("60 s", null)]
    [InlineData("60ms", null)]
    [InlineData("1,5m", null)]
    [InlineData("1e3", null)]
    [InlineData("NaN", null)]
    [InlineData("999999999999h", null)]
    public void Parse_Text_IsATimeOrNone(string text, double? seconds) => Assert.Equal(seconds, TimeText.Parse(text)?.TotalSeconds);
}
