namespace Abathur.Protobuf.Wire;

/// <summary>Protobuf's variable-length integers: seven bits a byte, least significant first.</summary>
public static class Varint
{
    /// <summary>Maximum number of bytes.</summary>
    public const int MaxBytes = 10;

    /// <summary>Writes a value to the start of <paramref name="output"/> and returns the number of bytes.</summary>
    public static int Write(Span<byte> output, ulong value)
    {
        var count = 0;
        for (; value >= 0x80; value >>= 7) output[count++] = (byte)(value | 0x80);
        output[count++] = (byte)value;
        return count;
    }
}
