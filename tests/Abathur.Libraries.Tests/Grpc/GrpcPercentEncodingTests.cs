using System.Text;
using FsCheck;
using FsCheck.Fluent;

namespace Abathur.Grpc.Tests;

public class GrpcPercentEncodingTests
{
    [Theory]
    [InlineData("", "")]
    [InlineData("plain text ~!", "plain text ~!")]
    [InlineData("50%", "50%25")]
    [InlineData("\t\r\n", "%09%0D%0A")]
    [InlineData("☺😈", "%E2%98%BA%F0%9F%98%88")]
    [InlineData("\u007f", "%7F")]
    public void Encode_KnownTexts_AreAsTheProtocolHasThem(string message, string encoded) =>
        Assert.Equal(encoded, GrpcPercentEncoding.Encode(message));

    [Fact]
    public void Encode_LoneSurrogate_BecomesTheReplacementCharacter() =>
        Assert.Equal("%EF%BF%BD alone", GrpcPercentEncoding.Encode("\ud800 alone"));

    [Fact]
    public void Encode_AnyText_IsPrintableAndDecodesToTheSame() =>
        Prop.ForAll<string>(text =>
        {
            // What is not a character (a lone surrogate) becomes U+FFFD, as in every UTF-8 encoder.
            var message = Encoding.UTF8.GetString(Encoding.UTF8.GetBytes(text ?? ""));
            var encoded = GrpcPercentEncoding.Encode(message);
            return encoded.All(letter => letter is >= ' ' and <= '~') && Decode(encoded) == message;
        }).QuickCheckThrowOnFailure();

    [Theory]
    [InlineData("a", 5_000)]
    [InlineData("a☺", 5_000)]
    [InlineData("%", 2_000)]
    [InlineData("😈", 400)]
    public void Encode_LongText_IsCutBetweenCharacters(string part, int count)
    {
        var message = string.Concat(Enumerable.Repeat(part, count));
        var encoded = GrpcPercentEncoding.Encode(message);
        Assert.InRange(encoded.Length, GrpcPercentEncoding.MaxEncodedLength - 12, GrpcPercentEncoding.MaxEncodedLength);
        Assert.StartsWith(Decode(encoded), message, StringComparison.Ordinal);
    }

    private static string Decode(string encoded)
    {
        var bytes = new List<byte>();
        for (var i = 0; i < encoded.Length; i++)
        {
            if (encoded[i] != '%')
            {
                bytes.Add((byte)encoded[i]);
                continue;
            }
            bytes.Add(Convert.ToByte(encoded.Substring(i + 1, 2), 16));
            i += 2;
        }
        return Encoding.UTF8.GetString([.. bytes]);
    }
}
