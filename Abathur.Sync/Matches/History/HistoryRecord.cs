using System.Runtime.InteropServices;
using Abathur.Sync.Frames;

namespace Abathur.Sync.Matches.History;

/// <summary>A kept frame: when it was published, and its payload of a stream of columns.</summary>
/// <param name="Sequence">Number in this run of the source.</param>
/// <param name="GameLoop">Game loop of the observation.</param>
/// <param name="Captured">When the daemon received it from its source.</param>
/// <param name="Published">When it was published.</param>
/// <param name="IsKeyframe">Whether it decodes without the records before it.</param>
/// <param name="Payload">Columns without compression, valid until the next record is read.</param>
internal readonly record struct HistoryRecord(
    ulong Sequence, uint GameLoop, FrameStamp Captured, FrameStamp Published, bool IsKeyframe, ReadOnlyMemory<byte> Payload)
{
    /// <summary>Bytes in front of a payload.</summary>
    public static readonly int HeadBytes = Marshal.SizeOf<Head>();

    /// <summary>Writes a record behind others.</summary>
    /// <param name="frame">The frame.</param>
    /// <param name="isKeyframe">Whether its payload is a keyframe.</param>
    /// <param name="payload">Its payload.</param>
    /// <param name="output">Memory for exactly the head and the payload.</param>
    public static void Write(SharedFrame frame, bool isKeyframe, ReadOnlySpan<byte> payload, Span<byte> output)
    {
        var head = new Head
        {
            Sequence = frame.Sequence,
            CapturedMonotonicNs = frame.Captured.MonotonicNs,
            CapturedUnixNs = frame.Captured.UnixNs,
            PublishedMonotonicNs = frame.Published.MonotonicNs,
            PublishedUnixNs = frame.Published.UnixNs,
            GameLoop = frame.GameLoop,
            PayloadBytes = payload.Length,
            IsKeyframe = isKeyframe ? 1 : 0,
        };
        MemoryMarshal.Write(output, head);
        payload.CopyTo(output[HeadBytes..]);
    }

    /// <summary>Reads the record at the start of some bytes, which follow one another without gaps.</summary>
    public static HistoryRecord Read(ReadOnlyMemory<byte> bytes)
    {
        var head = MemoryMarshal.Read<Head>(bytes.Span);
        return new(
            head.Sequence, head.GameLoop, new(head.CapturedMonotonicNs, head.CapturedUnixNs),
            new(head.PublishedMonotonicNs, head.PublishedUnixNs), head.IsKeyframe != 0, bytes.Slice(HeadBytes, head.PayloadBytes));
    }

    [StructLayout(LayoutKind.Sequential)]
    private struct Head
    {
        public ulong Sequence;
        public long CapturedMonotonicNs;
        public long CapturedUnixNs;
        public long PublishedMonotonicNs;
        public long PublishedUnixNs;
        public uint GameLoop;
        public int PayloadBytes;
        public int IsKeyframe;
    }
}
