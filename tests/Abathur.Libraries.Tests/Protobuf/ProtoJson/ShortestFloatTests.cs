using System.Globalization;
using System.Text;
using Abathur.Protobuf.ProtoJson.Text;

namespace Abathur.Protobuf.Tests.ProtoJson;

public class ShortestFloatTests
{
    [Fact]
    public void Write_EveryExponentWithOddFractions_LikeTheFramework()
    {
        // Powers of two and their neighbours, where the interval of what rounds to a float is lopsided, and fractions over all of the
        // range.
        uint[] fractions = [0, 1, 2, 0x3FFFFF, 0x400000, 0x400001, 0x7FFFFE, 0x7FFFFF];
        for (var exponent = 0u; exponent < 255; exponent++)
        {
            foreach (var fraction in fractions) AssertLikeFramework((exponent << 23) | fraction);
        }
    }

    [Fact]
    public void Write_AnyFiniteFloat_LikeTheFramework()
    {
        var random = new Random(20261121);
        for (var i = 0; i < 2_000_000; i++) AssertLikeFramework((uint)random.NextInt64(1L << 32));
    }

    [Fact]
    public void Write_ShortDecimals_LikeTheFramework()
    {
        for (var i = 0; i < 200_000; i++)
        {
            AssertLikeFramework(BitConverter.SingleToUInt32Bits(i / 100f));
            AssertLikeFramework(BitConverter.SingleToUInt32Bits(i / 4096f));
            AssertLikeFramework(BitConverter.SingleToUInt32Bits(-i * 1000f));
        }
    }

    [Fact]
    public void FloatTexts_ValuesThatShareAPlace_KeepTheirTexts()
    {
        var texts = new FloatTextCache();
        Span<byte> output = stackalloc byte[16];
        for (var round = 0; round < 2; round++)
        {
            for (var i = -20_000; i < 20_000; i++)
            {
                var value = i / 8f;
                var length = texts.Write(value, output);
                Assert.Equal(value.ToString("r", CultureInfo.InvariantCulture), Encoding.ASCII.GetString(output[..length]));
            }
        }
    }

    private static void AssertLikeFramework(uint bits)
    {
        var value = BitConverter.UInt32BitsToSingle(bits);
        if (!float.IsFinite(value)) return;
        Span<byte> actual = stackalloc byte[16];
        Span<byte> expected = stackalloc byte[32];
        var length = ShortestFloat.Write(value, actual);
        value.TryFormat(expected, out var expectedLength, "r", CultureInfo.InvariantCulture);
        if (!actual[..length].SequenceEqual(expected[..expectedLength]))
        {
            Assert.Fail(
                $"0x{bits:x8}: {Encoding.ASCII.GetString(expected[..expectedLength])}, not {Encoding.ASCII.GetString(actual[..length])}");
        }
    }
}
