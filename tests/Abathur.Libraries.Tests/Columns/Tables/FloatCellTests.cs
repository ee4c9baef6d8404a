using Abathur.Columns.Tables;

namespace Abathur.Columns.Tests.Tables;

public class FloatCellTests
{
    [Fact]
    public void From_AnyFloat_ComesBackBitForBit()
    {
        var random = new Random(6);
        foreach (var mayBeAngle in new[] { false, true })
        {
            for (var i = 0; i < 2_000_000; i++)
            {
                var onGrid = BitConverter.SingleToUInt32Bits(random.Next(-100_000, 10_000_000) / 4096f);
                var bits = i % 2 == 0 ? (uint)random.NextInt64(1L << 32) : onGrid;
                var q = FloatCell.From(bits, mayBeAngle, out var kind);
                Assert.Equal(bits, FloatCell.ToBits(q, kind));
            }
        }
    }

    [Theory]
    [InlineData(0f, false, 0, 0)]
    [InlineData(100.5f, false, 411648, 0)]
    [InlineData(-0.25f, true, -1024, 0)]
    [InlineData(4.712389f, true, 0, 1)]
    [InlineData(4.712389f, false, 0x4096CBE4, 2)]
    [InlineData(262144.0f, false, 0x48800000, 2)]
    [InlineData(-0f, true, int.MinValue, 2)]
    [InlineData(float.NaN, true, unchecked((int)0xFFC00000), 2)]
    [InlineData(float.PositiveInfinity, false, 0x7F800000, 2)]
    [InlineData(float.Epsilon, true, 1, 2)]
    public void From_Float_HasTheSimplestKindThatIsExact(float value, bool mayBeAngle, long q, int kind) =>
        Assert.Equal((q, kind), (FloatCell.From(BitConverter.SingleToUInt32Bits(value), mayBeAngle, out var found), found));

    [Fact]
    public void TryStep_EveryFacing_IsWhatAnExactCosineGives()
    {
        for (var q = -32_767; q <= 32_767; q += 13)
        {
            foreach (var kind in new[] { FloatCell.Grid, FloatCell.Angle })
            {
                var angle = (q / 4096.0) + (kind == FloatCell.Angle ? 3 * Math.PI / 2 : 0);
                Assert.True(Motion.TryStep(q, kind, 1_000_000, out var x, out var y));
                Assert.InRange(x - (1_000_000 * Math.Cos(angle)), -2, 2);
                Assert.InRange(y - (1_000_000 * Math.Sin(angle)), -2, 2);
            }
        }
        Assert.False(Motion.TryStep(32_768, FloatCell.Grid, 1, out _, out _));
        Assert.False(Motion.TryStep(0, FloatCell.Bits, 1, out _, out _));
        Assert.False(Motion.TryStep(0, FloatCell.Grid, -1, out _, out _));
        Assert.False(Motion.TryStep(0, FloatCell.Grid, 1 << 20, out _, out _));
        Assert.Equal(1 << 20, Motion.SpeedOf(long.MaxValue, long.MinValue));
        Assert.Equal(5, Motion.SpeedOf(-3, 4));
    }
}
