using System.Buffers.Binary;
using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;
using System.Runtime.Intrinsics;
using Abathur.Protobuf.ProtoJson.Schema;
using Abathur.Protobuf.ProtoJson.Text;
using Abathur.Protobuf.Wire;

namespace Abathur.Protobuf.ProtoJson.ToWire;

/// <summary>
/// The fast path for members as they were last time: without white space, in the same order, with plain numbers. A name is compared as
/// one vector and positions stay in registers. <see cref="JsonToWire"/> reads all other members.
/// </summary>
internal static class PredictedMembers
{
    // Minimum distance to the end of the text, so that a name and a number can be read without checking for the end.
    private const int Lookahead = 64;

    // A tag, always written as eight bytes, and the longest scalar.
    private const int MaxScalarBytes = 24;
    private const uint True = 0x65757274;
    private const uint Fals = 0x736C6166;

    /// <summary>
    /// Reads members from the next name on as long as the fast path applies. True: the object is complete. False: the next member needs the
    /// general path.
    /// </summary>
    public static bool Read(ref JsonToWire reader, ref MemberOrder order)
    {
        var position = reader.Json.Position;
        while (reader.Json.Length - position >= Lookahead)
        {
            var json = reader.Json.Slice(position);
            var field = order.Find(MemoryMarshal.Read<Vector256<byte>>(json));
            if (field is null) break;
            var length = field.CommaNameBytes - 1;
            if (field.Message is null)
            {
                var output = reader.Out.GetSpan(MaxScalarBytes);
                BinaryPrimitives.WriteUInt64LittleEndian(output, field.TagNumber);
                var taken = ReadScalar(field, json[length..], output[field.TagLength..], out var written);
                if (taken < 0) break;
                reader.Out.Position += field.TagLength + written;
                length += taken;
            }
            else
            {
                if (json[length] != '{') break;
                reader.Json.Position = position + length;
                reader.ReadTagged(field, Omission.None);
                length = reader.Json.Position - position;
            }
            order.Take(field);
            position += length;
            var next = reader.Json.At(position);
            if (next != ',')
            {
                // The end of the object, white space, or an error: the general path distinguishes them.
                reader.Json.Position = position;
                if (reader.EndsMember()) return true;
                position = reader.Json.Position;
                continue;
            }
            position++;
        }
        reader.Json.Position = position;
        return false;
    }

    // Bytes of the value; negative: it needs the general path.
    private static int ReadScalar(FieldTable field, ReadOnlySpan<byte> json, Span<byte> output, out int written)
    {
        ulong value;
        int taken;
        written = 0;
        switch (field.Kind)
        {
            case FieldKind.Float:
                taken = ReadDecimal(json, out var number);
                BinaryPrimitives.WriteSingleLittleEndian(output, (float)number);
                written = sizeof(float);
                return taken;
            case FieldKind.Bool:
                var letters = BinaryPrimitives.ReadUInt32LittleEndian(json);
                var isTrue = letters == True;
                output[0] = isTrue ? (byte)1 : (byte)0;
                written = 1;
                if (!(isTrue | (letters == Fals & json[4] == 'e'))) return -1;
                return isTrue ? 4 : 5;
            case FieldKind.UInt32:
                taken = ReadInteger(json, out value);
                if (value > uint.MaxValue) return -1;
                break;
            case FieldKind.Int32:
                if (json[0] == '-') return -1;
                taken = ReadInteger(json, out value);
                if (value > int.MaxValue) return -1;
                break;
            case FieldKind.UInt64:
                if (json[0] != '"') return -1;
                taken = ReadInteger(json[1..], out value);
                if (taken < 0 || json[taken + 1] != '"') return -1;
                taken += 2;
                break;
            case FieldKind.Enum:
                taken = ReadEnum(field, json, out value);
                break;
            default: return -1;
        }
        written = Varint.Write(output, value);
        return taken;
    }

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private static int ReadInteger(ReadOnlySpan<byte> json, out ulong value)
    {
        var digits = Digits.Read(json, out value);
        // No digits, a leading zero, or a number that continues.
        if (digits == 0 || (json[0] == '0' && digits > 1) || json[digits] == '.' || (json[digits] | 0x20) == 'e') return -1;
        return digits;
    }

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private static int ReadDecimal(ReadOnlySpan<byte> json, out double value)
    {
        value = 0;
        var sign = json[0] == '-' ? 1 : 0;
        var whole = Digits.Read(json[sign..], out var digits);
        if (whole is 0 or > Digits.Most || (json[sign] == '0' && whole > 1)) return -1;
        var end = sign + whole;
        // Branch-free, because a fraction cannot be predicted: it is always read.
        var hasPoint = json[end] == '.';
        var places = Digits.Read(json[(end + 1)..], out var fraction);
        var isWrong = hasPoint & places == 0;
        places = hasPoint ? places : 0;
        fraction = hasPoint ? fraction : 0;
        end += hasPoint ? places + 1 : 0;
        // At most as many digits as a double represents exactly.
        if (isWrong | whole + places > Digits.MostExact | (json[end] | 0x20) == 'e') return -1;
        value = JsonNumber.Scale((digits * Digits.PowerOfTen(places)) + fraction, places);
        if (sign == 1) value = -value;
        return end;
    }

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private static int ReadEnum(FieldTable field, ReadOnlySpan<byte> json, out ulong value)
    {
        var token = field.EnumGuess;
        if (token is null || (MemoryMarshal.Read<Vector256<byte>>(json) & token.Mask) != token.Short) token = FindEnum(field, json);
        value = token is null ? 0 : (ulong)(long)token.Number;
        return token is null ? -1 : token.Quoted.Length;
    }

    private static EnumToken? FindEnum(FieldTable field, ReadOnlySpan<byte> json)
    {
        if (json[0] != '"' || field.Enum!.IsNullValue) return null;
        var length = json[1..Vector256<byte>.Count].IndexOf((byte)'"');
        var token = length < 0 ? null : field.Enum.Find(json.Slice(1, length));
        if (token is { IsShort: true }) field.EnumGuess = token;
        return token;
    }
}
