namespace Abathur.Protobuf.Wire;

/// <summary>Protobuf's <c>sint</c> numbers: 0, -1, 1, -2, ... as 0, 1, 2, 3, ...</summary>
public static class ZigZag
{
    /// <summary>The number of a varint.</summary>
    public static int Decode(uint value) => (int)(value >> 1) ^ -(int)(value & 1);

    /// <inheritdoc cref="Decode(uint)"/>
    public static long Decode(ulong value) => (long)(value >> 1) ^ -(long)(value & 1);

    /// <summary>The varint of a number.</summary>
    public static uint Encode(int value) => (uint)((value << 1) ^ (value >> 31));

    /// <inheritdoc cref="Encode(int)"/>
    public static ulong Encode(long value) => (ulong)((value << 1) ^ (value >> 63));
}
