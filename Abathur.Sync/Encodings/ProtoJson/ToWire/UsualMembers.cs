using System.Buffers.Binary;
using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;
using System.Runtime.Intrinsics;
using Abathur.Sync.Encodings.ProtoJson.Schema;

namespace Abathur.Sync.Encodings.ProtoJson.ToWire;

/// <summary>
/// The fast way for members that come as they came last time: without white space, in the same order, with plain numbers. A name is
/// compared as one vector and positions stay in registers. What is not like that is left to <see cref="JsonToWire"/>, member by member.
/// </summary>
internal static class UsualMembers
{
    // From here on to the end of the text, so that a name and a number can be read without looking at the end.
    private const int Lookahead = 64;

    // Tag, a length, and the longest scalar.
    private const int MaxScalarBytes = 16;
    private const uint True = 0x65757274;
    private const uint Fals = 0x736C6166;

    /// <summary>
    /// Reads members from the name that comes next, as long as they are usual. True: the object is done. False: the next member has to go the general way.
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
                var taken = ReadScalar(ref reader, field, json[length..]);
                if (taken < 0) break;
                length += taken;
            }
            else
            {
                if (json[length] != '{') break;
                reader.Out.BeginField(field.Index);
                reader.Json.Position = position + length;
                reader.ReadTagged(field, omitsDefault: false);
                length = reader.Json.Position - position;
                json = reader.Json.Slice(position);
                if (length >= json.Length)
                {
                    // The end of the text: the general way says what is missing.
                    order.Take(field);
                    return reader.EndsMember();
                }
            }
            order.Take(field);
            position += length + 1;
            if (json[length] == ',') continue;
            if (json[length] == '}')
            {
                reader.Json.Position = position;
                return true;
            }
            reader.Json.Position = position - 1;
            return reader.EndsMember();
        }
        reader.Json.Position = position;
        return false;
    }

    // Bytes that the value took; negative: it is not a usual one, and nothing was written.
    private static int ReadScalar(ref JsonToWire reader, FieldTable field, ReadOnlySpan<byte> json)
    {
        ulong value;
        int taken;
        switch (field.Kind)
        {
            case FieldKind.Float:
                taken = ReadDecimal(json, out var number);
                if (taken < 0) return taken;
                reader.Out.Begin(field, MaxScalarBytes);
                reader.Out.Fixed32(BitConverter.SingleToUInt32Bits((float)number));
                return taken;
            case FieldKind.Bool:
                var letters = BinaryPrimitives.ReadUInt32LittleEndian(json);
                value = letters == True ? 1UL : 0;
                taken = letters == True ? 4 : letters == Fals && json[4] == 'e' ? 5 : -1;
                break;
            case FieldKind.UInt32:
                taken = ReadInteger(json, out value);
                if (value > uint.MaxValue) taken = -1;
                break;
            case FieldKind.Int32:
                var isNegative = json[0] == '-';
                taken = ReadInteger(isNegative ? json[1..] : json, out value);
                if (value > int.MaxValue) taken = -1;
                if (isNegative) (value, taken) = ((ulong)-(long)value, taken < 0 ? taken : taken + 1);
                break;
            case FieldKind.UInt64:
                if (json[0] != '"') return -1;
                taken = ReadInteger(json[1..], out value);
                if (taken < 0 || json[taken + 1] != '"') return -1;
                taken += 2;
                break;
            case FieldKind.Enum:
                taken = ReadEnum(field.Enum!, json, out value);
                break;
            default: return -1;
        }
        if (taken < 0) return taken;
        reader.Out.Begin(field, MaxScalarBytes);
        reader.Out.Varint(value);
        return taken;
    }

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private static int ReadInteger(ReadOnlySpan<byte> json, out ulong value)
    {
        var digits = Digits.Read(json, out value);
        // None, a leading zero, or a number that goes on.
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
        var places = 0;
        if (json[end] == '.')
        {
            places = Digits.Read(json[(end + 1)..], out var fraction);
            // As many as are exact as a double.
            if (places is 0 or > Digits.Most || whole + places > 15) return -1;
            digits = (digits * Digits.PowerOfTen(places)) + fraction;
            end += places + 1;
        }
        if ((json[end] | 0x20) == 'e') return -1;
        value = JsonNumber.Scale(digits, places);
        if (sign == 1) value = -value;
        return end;
    }

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private static int ReadEnum(EnumTable type, ReadOnlySpan<byte> json, out ulong value)
    {
        value = 0;
        if (json[0] != '"' || type.IsNullValue) return -1;
        var length = json[1..Math.Min(Lookahead, json.Length)].IndexOf((byte)'"');
        if (length < 0 || !type.TryFind(json.Slice(1, length), out var number)) return -1;
        value = (ulong)(long)number;
        return length + 2;
    }
}
