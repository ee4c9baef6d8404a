using System.Buffers;
using System.Buffers.Binary;
using System.Runtime.CompilerServices;
using Abathur.Protobuf.ProtoJson.Schema;
using Abathur.Protobuf.Wire;
using Google.Protobuf;

namespace Abathur.Protobuf.ProtoJson.State;

/// <summary>
/// Buffer for the protobuf that is being written. The length of a message precedes it but is known only after it, so written bytes can
/// still be moved. Its memory is reused for the next message.
/// </summary>
internal sealed class WireScratch
{
    private const int FirstBytes = 1 << 12;
    private const int FirstSegments = 1 << 8;
    private const int MaxKeptBytes = 1 << 22;
    private const int MaxKeptSegments = 1 << 16;

    private byte[] _bytes = new byte[FirstBytes];
    private Segment[] _segments = new Segment[FirstSegments];
    private int _segmentCount;

    public ReadOnlySpan<byte> Written => _bytes.AsSpan(0, Position);

    /// <summary>Bytes written so far.</summary>
    public int Position { get; set; }

    /// <summary>Recorded fields of the open messages.</summary>
    public int SegmentCount => _segmentCount;

    /// <summary>Discards everything, and releases memory that only a very large message needed.</summary>
    public void Reset()
    {
        Position = 0;
        _segmentCount = 0;
        if (_bytes.Length > MaxKeptBytes) _bytes = new byte[FirstBytes];
        if (_segments.Length > MaxKeptSegments) _segments = new Segment[FirstSegments];
    }

    public void Byte(byte value)
    {
        if (Position == _bytes.Length) Grow(1);
        _bytes[Position++] = value;
    }

    public void Raw(ReadOnlySpan<byte> bytes)
    {
        bytes.CopyTo(GetSpan(bytes.Length));
        Position += bytes.Length;
    }

    public void Varint(ulong value)
    {
        var bytes = _bytes;
        var position = Position;
        if (value < 0x80 && position < bytes.Length)
        {
            bytes[position] = (byte)value;
            Position = position + 1;
            return;
        }
        Position += Wire.Varint.Write(GetSpan(Wire.Varint.MaxBytes), value);
    }

    public void Fixed32(uint value)
    {
        BinaryPrimitives.WriteUInt32LittleEndian(GetSpan(sizeof(uint)), value);
        Position += sizeof(uint);
    }

    public void Fixed64(ulong value)
    {
        BinaryPrimitives.WriteUInt64LittleEndian(GetSpan(sizeof(ulong)), value);
        Position += sizeof(ulong);
    }

    /// <summary>Memory for <paramref name="bytes"/> bytes; advance <see cref="Position"/> by what was used.</summary>
    public Span<byte> GetSpan(int bytes)
    {
        if (_bytes.Length - Position < bytes) Grow(bytes);
        return _bytes.AsSpan(Position);
    }

    /// <summary>Reserves <paramref name="guess"/> bytes for a length, and returns the start of the content.</summary>
    public int BeginLength(FieldTable field, out int guess)
    {
        guess = field.LengthBytesGuess;
        GetSpan(guess);
        return Position += guess;
    }

    /// <summary>Writes the length of the content since <see cref="BeginLength"/>, which returned both arguments.</summary>
    public void EndLength(FieldTable field, int start, int guess)
    {
        var length = Position - start;
        var taken = VarintBytes((uint)length);
        if (taken != guess)
        {
            field.LengthBytesGuess = taken;
            GetSpan(Wire.Varint.MaxBytes);
            _bytes.AsSpan(start, length).CopyTo(_bytes.AsSpan(start - guess + taken));
            Position += taken - guess;
        }
        Wire.Varint.Write(_bytes.AsSpan(start - guess), (uint)length);
    }

    /// <summary>Writes the tag of a field.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public void Tag(FieldTable field)
    {
        if (_bytes.Length - Position < Wire.Varint.MaxBytes) Grow(Wire.Varint.MaxBytes);
        BinaryPrimitives.WriteUInt64LittleEndian(_bytes.AsSpan(Position), field.TagNumber);
        Position += field.TagLength;
    }

    /// <summary>Records that a field of the innermost open message begins here, or is cleared here.</summary>
    public void BeginField(int index, bool clears = false)
    {
        if (_segmentCount == _segments.Length) Array.Resize(ref _segments, 2 * _segmentCount);
        _segments[_segmentCount++] = new Segment(index, _segmentCount, Position, clears);
    }

    /// <summary>The message that was written last, without its length, which begins at <paramref name="lengthStart"/>.</summary>
    public ReadOnlySpan<byte> Message(int lengthStart)
    {
        while (_bytes[lengthStart++] >= 0x80)
        {
        }
        return _bytes.AsSpan(lengthStart, Position - lengthStart);
    }

    /// <summary>Records the positions of the fields of the innermost open message that were written since
    /// <paramref name="start"/>.</summary>
    public void NoteFields(MessageTable table, int start)
    {
        var reader = new WireReader(Written[start..]);
        while (reader.ReadTag())
        {
            var field = table.Find(WireFormat.MakeTag(reader.FieldNumber, reader.WireType))!;
            if (_segmentCount == _segments.Length) Array.Resize(ref _segments, 2 * _segmentCount);
            _segments[_segmentCount++] = new Segment(field.Index, _segmentCount, start + reader.FieldStart, Clears: false);
            reader.SkipValue();
        }
    }

    /// <summary>Discards the recorded fields of a complete message.</summary>
    public void DropFields(int segmentsBefore) => _segmentCount = segmentsBefore;

    /// <summary>
    /// Sorts the fields of a message that were written since <paramref name="segmentsBefore"/>. Of singular fields the last one is kept;
    /// the parts of a repeated field or a map are joined.
    /// </summary>
    public void Reorder(MessageTable table, int segmentsBefore)
    {
        var segments = _segments.AsSpan(segmentsBefore, _segmentCount - segmentsBefore);
        var start = segments[0].Start;
        var end = Position;
        var old = ArrayPool<byte>.Shared.Rent(end - start);
        var ends = ArrayPool<int>.Shared.Rent(segments.Length);
        try
        {
            _bytes.AsSpan(start, end - start).CopyTo(old);
            var firstSequence = segments[0].Sequence;
            for (var i = 0; i < segments.Length; i++) ends[i] = (i + 1 < segments.Length ? segments[i + 1].Start : end) - start;
            segments.Sort();
            Position = start;
            for (var from = 0; from < segments.Length;)
            {
                var to = from + 1;
                while (to < segments.Length && segments[to].Index == segments[from].Index) to++;
                var field = table.Fields[segments[from].Index];
                if (!field.IsRepeated && !field.IsMap) from = to - 1;
                for (var i = from; i < to; i++)
                {
                    if (segments[i].Clears) from = i;
                }
                WritePieces(field, segments[from..to], old, start, ends, firstSequence);
                from = to;
            }
        }
        finally
        {
            ArrayPool<byte>.Shared.Return(old);
            ArrayPool<int>.Shared.Return(ends);
        }
    }

    private void WritePieces(FieldTable field, ReadOnlySpan<Segment> pieces, byte[] old, int start, int[] ends, int firstSequence)
    {
        var fieldStart = Position;
        if (field.IsPacked && pieces.Length > 1)
        {
            var payload = 0;
            foreach (var piece in pieces) payload += Packed(piece).Length;
            if (payload == 0) return;
            Raw(field.TagBytes);
            Varint((uint)payload);
            foreach (var piece in pieces) Raw(Packed(piece));
            return;
        }
        foreach (var piece in pieces) Raw(old.AsSpan(piece.Start - start, ends[piece.Sequence - firstSequence] - (piece.Start - start)));
        if (field.IsMap && pieces.Length > 1) MapEntries.DropOverwritten(this, field, fieldStart);

        ReadOnlySpan<byte> Packed(Segment piece)
        {
            var bytes = old.AsSpan(piece.Start - start, ends[piece.Sequence - firstSequence] - (piece.Start - start));
            if (bytes.IsEmpty) return bytes;
            bytes = bytes[field.TagBytes.Length..];
            var lengthBytes = 1;
            while (bytes[lengthBytes - 1] >= 0x80) lengthBytes++;
            return bytes[lengthBytes..];
        }
    }

    private static int VarintBytes(uint value) => value < 1 << 7 ? 1 : value < 1 << 14 ? 2 : value < 1 << 21 ? 3 : value < 1 << 28 ? 4 : 5;

    private void Grow(int bytes) => Array.Resize(ref _bytes, Math.Max(Position + bytes, 2 * _bytes.Length));

    private readonly record struct Segment(int Index, int Sequence, int Start, bool Clears) : IComparable<Segment>
    {
        public int CompareTo(Segment other) => Index != other.Index ? Index.CompareTo(other.Index) : Sequence.CompareTo(other.Sequence);
    }
}
