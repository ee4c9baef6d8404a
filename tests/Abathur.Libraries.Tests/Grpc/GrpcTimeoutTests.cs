using FsCheck;
using FsCheck.Fluent;

namespace Abathur.Grpc.Tests;

public class GrpcTimeoutTests
{
    [Theory]
    [InlineData("0S", 0)]
    [InlineData("1n", 0)]
    [InlineData("199n", 1)]
    [InlineData("1u", 10)]
    [InlineData("1m", 10_000)]
    [InlineData("00000001S", 10_000_000)]
    [InlineData("1M", 600_000_000)]
    [InlineData("1H", 36_000_000_000)]
    [InlineData("99999999H", 3_599_999_964_000_000_000)]
    public void GrpcTimeout_WellFormed_GivesTheTime(string text, long ticks)
    {
        Assert.True(GrpcTimeout.TryParse(text, out var timeout));
        Assert.Equal(ticks, timeout.Ticks);
    }

    [Theory]
    [InlineData("")]
    [InlineData("S")]
    [InlineData("1")]
    [InlineData("-1S")]
    [InlineData("+1S")]
    [InlineData(" 1S")]
    [InlineData("1S ")]
    [InlineData("1 S")]
    [InlineData("1.5S")]
    [InlineData("1s")]
    [InlineData("123456789S")]
    [InlineData("1,000S")]
    [InlineData("٣S")]
    public void GrpcTimeout_Malformed_IsRefused(string text) => Assert.False(GrpcTimeout.TryParse(text, out _));

    [Fact]
    public void GrpcTimeout_AnyText_NeverThrows() =>
        Prop.ForAll<string>(text => GrpcTimeout.TryParse(text ?? "", out var timeout) || timeout == default).QuickCheckThrowOnFailure();
}
