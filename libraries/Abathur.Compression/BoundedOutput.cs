using System.Buffers;

namespace Abathur.Compression;

/// <summary>Decompressed bytes on their way to a buffer writer, up to a limit.</summary>
internal ref struct BoundedOutput(IBufferWriter<byte> output, int maxBytes)
{
    private const int MinRoomBytes = 4096;

    /// <summary>Bytes written.</summary>
    public int Total { get; private set; }

    /// <summary>Memory for the next bytes: at most one byte more than the limit, to detect that there is more.</summary>
    public readonly Span<byte> GetRoom()
    {
        var room = output.GetSpan(MinRoomBytes);
        var left = maxBytes - Total;
        return room.Length > left ? room[..(left + 1)] : room;
    }

    /// <summary>Counts bytes that were written to the room.</summary>
    /// <exception cref="CompressionException">They are more than the limit allows; they are not passed on.</exception>
    public void Advance(int bytes)
    {
        if (bytes > maxBytes - Total) throw new CompressionException($"the payload holds more than {maxBytes} bytes");
        Total += bytes;
        output.Advance(bytes);
    }
}
