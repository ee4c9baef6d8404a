namespace Abathur.Protobuf.ProtoJson;

/// <summary>Protobuf's <c>sint</c> numbers: 0, -1, 1, -2, ... as 0, 1, 2, 3, ...</summary>
internal static class ZigZag
{
    public static int Decode(uint value) => (int)(value >> 1) ^ -(int)(value & 1);

    public static long Decode(ulong value) => (long)(value >> 1) ^ -(long)(value & 1);

    public static uint Encode(int value) => (uint)((value << 1) ^ (value >> 31));

    public static ulong Encode(long value) => (ulong)((value << 1) ^ (value >> 63));
}
