using System.Buffers.Binary;

namespace Abathur.Mcap;

/// <summary>Iterates over records in memory.</summary>
internal static class RecordWalk
{
    /// <summary>Reads the record at a position and advances the position. If the record is incomplete, returns false and leaves the
    /// position.</summary>
    public static bool TryNext(ReadOnlyMemory<byte> records, ref int position, out McapOpcode opcode, out ReadOnlyMemory<byte> content)
    {
        (opcode, content) = (McapOpcode.None, default);
        var rest = records.Length - position;
        if (rest < McapFormat.RecordHeaderBytes) return false;
        var header = records.Span.Slice(position, McapFormat.RecordHeaderBytes);
        var length = BinaryPrimitives.ReadUInt64LittleEndian(header[1..]);
        if (length > (ulong)(rest - McapFormat.RecordHeaderBytes)) return false;
        opcode = (McapOpcode)header[0];
        content = records.Slice(position + McapFormat.RecordHeaderBytes, (int)length);
        position += McapFormat.RecordHeaderBytes + (int)length;
        return true;
    }
}
