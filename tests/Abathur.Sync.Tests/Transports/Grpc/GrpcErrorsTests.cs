using System.Text;
using Abathur.Sync.Transports.Grpc;
using FsCheck;
using FsCheck.Fluent;
using Grpc.Core;

namespace Abathur.Sync.Tests.Transports.Grpc;

public class GrpcErrorsTests
{
    private const int MaxEncodedBytes = 4096;

    [Fact]
    public void Of_AnyShortText_IsLeftAsItIs() =>
        Prop.ForAll<string>(text => GrpcErrors.Of(StatusCode.Internal, text ?? "").Status.Detail == (text ?? ""))
            .QuickCheckThrowOnFailure();

    [Theory]
    [InlineData("a", 5_000)]
    [InlineData("a☺", 5_000)]
    [InlineData("%", 2_000)]
    [InlineData("😈", 400)]
    [InlineData("\n", 2_000)]
    public void Of_LongText_IsCutOffBetweenCharacters(string part, int count)
    {
        var message = string.Concat(Enumerable.Repeat(part, count));
        var detail = GrpcErrors.Of(StatusCode.Internal, message).Status.Detail;
        var encoded = Encoding.UTF8.GetBytes(detail).Sum(value => value is >= 0x20 and <= 0x7E && value != '%' ? 1 : 3);
        Assert.InRange(encoded, MaxEncodedBytes - 12, MaxEncodedBytes);
        Assert.StartsWith(detail, message, StringComparison.Ordinal);
        Assert.False(char.IsHighSurrogate(detail[^1]));
    }
}
