using System.Buffers.Binary;

namespace Abathur.Mcap;

/// <summary>Walks records in memory.</summary>
internal static class RecordWalk
{
    /// <summary>Takes the record at a position and moves the position behind it. False, and the position stays, where it is not whole.</summary>
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
