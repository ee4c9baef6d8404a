using Abathur.Protobuf.Wire;
using FsCheck;
using FsCheck.Fluent;

namespace Abathur.Protobuf.Tests.Wire;

public class VarintTests
{
    [Fact]
    public void TryRead_WhatWriteWrote_GivesTheValueAndItsEnd() =>
        Prop.ForAll(Gen.Choose(0, 63).SelectMany(
            bits => Gen.Choose(0, int.MaxValue).Select(low => (1ul << bits) | (uint)low)).ToArbitrary(), value =>
    {
        var bytes = new byte[Varint.MaxBytes + 2];
        var position = 1;
        var length = Varint.Write(bytes.AsSpan(1), value);
        Assert.True(Varint.TryRead(bytes, ref position, out var read));
        Assert.Equal((value, 1 + length), (read, position));
        // Each shorter part is cut off.
        for (var end = 1; end <= length; end++)
        {
            position = 1;
            Assert.False(Varint.TryRead(bytes.AsSpan(0, end), ref position, out read));
            Assert.Equal((0ul, 1), (read, position));
        }
    }).QuickCheckThrowOnFailure();

    [Fact]
    public void TryRead_ElevenBytes_IsRefused()
    {
        byte[] bytes = [.. Enumerable.Repeat((byte)0x80, 10), 0];
        var position = 0;
        Assert.False(Varint.TryRead(bytes, ref position, out _));
        Assert.Equal(0, position);
    }

    [Fact]
    public void TryRead_TenBytesOfMoreThan64Bits_DropsTheRest()
    {
        byte[] bytes = [.. Enumerable.Repeat((byte)0xFF, 9), 0x7F];
        var position = 0;
        Assert.True(Varint.TryRead(bytes, ref position, out var value));
        Assert.Equal((ulong.MaxValue, 10), (value, position));
    }
}
