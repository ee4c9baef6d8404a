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

    /// <summary>Reads a value and advances the position behind it. Bits beyond 64 are dropped, as Google.Protobuf does.</summary>
    /// <param name="source">The bytes.</param>
    /// <param name="position">Where the value begins.</param>
    /// <param name="value">The value; 0 if it cannot be read.</param>
    /// <returns>False if the source ends inside the value, or the value is longer than <see cref="MaxBytes"/>; the position
    /// stays.</returns>
    public static bool TryRead(ReadOnlySpan<byte> source, ref int position, out ulong value)
    {
        value = 0;
        var end = Math.Min(source.Length, position + MaxBytes);
        var shift = 0;
        for (var at = position; at < end; at++, shift += 7)
        {
            var next = source[at];
            value |= (ulong)(next & 0x7F) << shift;
            if (next >= 0x80) continue;
            position = at + 1;
            return true;
        }
        value = 0;
        return false;
    }
}
