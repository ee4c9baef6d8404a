using System.Buffers.Binary;
using System.Diagnostics.CodeAnalysis;
using System.Text;

namespace Abathur.Mcap;

/// <summary>Reads the fields of one record in order; every length is checked against the remaining bytes.</summary>
/// <remarks>Bytes after the last field are allowed by the format and ignored.</remarks>
internal ref struct RecordFields(ReadOnlySpan<byte> content, McapOpcode opcode, long offset)
{
    private ReadOnlySpan<byte> _rest = content;

    public readonly ReadOnlySpan<byte> Rest => _rest;

    public byte U8(string field) => Take(1, field)[0];

    public ushort U16(string field) => BinaryPrimitives.ReadUInt16LittleEndian(Take(2, field));

    public uint U32(string field) => BinaryPrimitives.ReadUInt32LittleEndian(Take(4, field));

    public ulong U64(string field) => BinaryPrimitives.ReadUInt64LittleEndian(Take(8, field));

    public string Text(string field) => Encoding.UTF8.GetString(Take(U32(field), field));

    public ReadOnlySpan<byte> Bytes32(string field) => Take(U32(field), field);

    public ReadOnlySpan<byte> Bytes64(string field) => Take(U64(field), field);

    public ReadOnlySpan<byte> Bytes(ulong count, string field) => Take(count, field);

    public Dictionary<string, string> Map(string field)
    {
        var entries = new RecordFields(Take(U32(field), field), opcode, offset);
        var map = new Dictionary<string, string>();
        while (!entries._rest.IsEmpty)
        {
            var key = entries.Text(field);
            map[key] = entries.Text(field);
        }
        return map;
    }

    public Dictionary<ushort, ulong> ChannelMap(string field)
    {
        var entries = new RecordFields(Take(U32(field), field), opcode, offset);
        var map = new Dictionary<ushort, ulong>();
        while (!entries._rest.IsEmpty)
        {
            var key = entries.U16(field);
            map[key] = entries.U64(field);
        }
        return map;
    }

    private ReadOnlySpan<byte> Take(ulong bytes, string field)
    {
        if (bytes > (ulong)_rest.Length) ThrowShort(bytes, field);
        var taken = _rest[..(int)bytes];
        _rest = _rest[(int)bytes..];
        return taken;
    }

    [DoesNotReturn]
    private readonly void ThrowShort(ulong bytes, string field) => throw new McapException(
        $"{opcode} record at offset {offset}: field {field} needs {bytes} bytes, but only {_rest.Length} are left in the record", offset);
}
