using Abathur.Protobuf.Wire;
using global::Google.Protobuf;
using global::Google.Protobuf.Reflection;

namespace Abathur.Testing;

/// <summary>Writes a message as no serializer does, and every parser must take: fields in any order and more than once, packed and not,
/// unknown ones between.</summary>
public sealed class WireShuffle(Random random)
{
    public byte[] Apply(MessageDescriptor type, ReadOnlySpan<byte> message)
    {
        var pieces = new List<byte[]>();
        var reader = new WireReader(message);
        while (reader.ReadTag())
        {
            var (number, wireType) = (reader.FieldNumber, reader.WireType);
            var field = type.FindFieldByNumber(number);
            if (field is { FieldType: FieldType.Message } && wireType == WireFormat.WireType.LengthDelimited)
            {
                var content = reader.ReadBytes();
                var inner = Apply(field.MessageType, content);
                pieces.Add(Delimited(number, inner));
                // The same message once more: it merges with the first, or is one more element.
                if (random.Next(4) == 0) pieces.Add(Delimited(number, inner));
                continue;
            }
            if (field is { IsRepeated: true }
                && wireType == WireFormat.WireType.LengthDelimited
                && field.FieldType is not (FieldType.String or FieldType.Bytes))
            {
                pieces.AddRange(Unpacked(field, reader.ReadBytes()));
                continue;
            }
            reader.SkipValue();
            var piece = message[reader.FieldStart..reader.Position].ToArray();
            pieces.Add(piece);
            if (random.Next(6) == 0) pieces.Add(piece);
        }
        if (random.Next(3) == 0) pieces.Add(Delimited(18999, [1, 2, 3]));
        if (random.Next(2) == 0) random.Shuffle(System.Runtime.InteropServices.CollectionsMarshal.AsSpan(pieces));
        return [.. pieces.SelectMany(piece => piece)];
    }

    private List<byte[]> Unpacked(FieldDescriptor field, ReadOnlySpan<byte> packed)
    {
        var pieces = new List<byte[]>();
        for (var start = 0; start < packed.Length;)
        {
            var wireType = field.FieldType switch
            {
                FieldType.Double or FieldType.Fixed64 or FieldType.SFixed64 => WireFormat.WireType.Fixed64,
                FieldType.Float or FieldType.Fixed32 or FieldType.SFixed32 => WireFormat.WireType.Fixed32,
                _ => WireFormat.WireType.Varint,
            };
            var length = wireType switch
            {
                WireFormat.WireType.Fixed64 => 8,
                WireFormat.WireType.Fixed32 => 4,
                _ => packed[start..].IndexOfAnyInRange((byte)0, (byte)0x7F) + 1,
            };
            var value = packed.Slice(start, length).ToArray();
            start += length;
            pieces.Add(random.Next(2) == 0 ? Delimited(field.FieldNumber, value) : [.. Tag(field.FieldNumber, wireType), .. value]);
        }
        return pieces;
    }

    private static byte[] Delimited(int number, byte[] content) =>
        [.. Tag(number, WireFormat.WireType.LengthDelimited), .. VarintBytes((uint)content.Length), .. content];

    private static byte[] Tag(int number, WireFormat.WireType type) => VarintBytes(WireFormat.MakeTag(number, type));

    private static byte[] VarintBytes(uint value)
    {
        var bytes = new byte[Varint.MaxBytes];
        return bytes[..Varint.Write(bytes, value)];
    }
}
