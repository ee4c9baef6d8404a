using System.Buffers;
using System.Buffers.Text;
using System.Diagnostics.CodeAnalysis;
using System.Globalization;
using System.Runtime.CompilerServices;
using Abathur.Protobuf.ProtoJson.Schema;
using Abathur.Protobuf.ProtoJson.Text;
using Abathur.Protobuf.Wire;

namespace Abathur.Protobuf.ProtoJson.ToJson;

/// <summary>
/// Writes JSON into the memory of an <see cref="IBufferWriter{T}"/>. The caller first reserves the maximum number of bytes
/// (<see cref="Ensure"/>); the write methods do not check.
/// </summary>
internal ref struct JsonSink(IBufferWriter<byte> output, int maxBytes)
{
    /// <summary>Bytes for any number with its quotes and a comma, and for any escape.</summary>
    public const int NumberBytes = 40;

    private const int MinChunk = 4 << 10;
    private const int MaxChunk = 64 << 10;
    private const int StringChunk = 8 << 10;
    private const int Base64Chunk = 48 << 10;

    /// <summary>A sink for memory that is large enough for the complete output.</summary>
    public JsonSink(Span<byte> room)
        : this(NoOutput, int.MaxValue) => _span = room;

    private static readonly ArrayBufferWriter<byte> NoOutput = new();

    private Span<byte> _span;
    private int _position;
    private long _flushed;

    /// <summary>Position of the next byte in the current memory. May be moved back as long as <see cref="Ensure"/> was not called
    /// since.</summary>
    public int Position
    {
        readonly get => _position;
        set => _position = value;
    }

    /// <summary>The unused part of the current memory.</summary>
    public readonly Span<byte> Room => _span[_position..];

    /// <summary>Reserves this number of bytes.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public void Ensure(int bytes)
    {
        if (_span.Length - _position < bytes) Grow(bytes);
    }

    /// <summary>Commits the written bytes.</summary>
    public void Complete()
    {
        output.Advance(_position);
        _flushed += _position;
        _span = default;
        _position = 0;
    }

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public void Byte(byte value) => _span[_position++] = value;

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public void Raw(ReadOnlySpan<byte> text)
    {
        text.CopyTo(_span[_position..]);
        _position += text.Length;
    }

    /// <summary>Writes a number, a bool or an enum from its wire value.</summary>
    public void Scalar(FieldTable field, ulong value, FloatTextCache floats)
    {
        switch (field.Kind)
        {
            case FieldKind.Float: Number(BitConverter.UInt32BitsToSingle((uint)value), floats); break;
            case FieldKind.Double: Number(BitConverter.UInt64BitsToDouble(value)); break;
            case FieldKind.Int32 or FieldKind.SFixed32: Number((int)value); break;
            case FieldKind.SInt32: Number(ZigZag.Decode((uint)value)); break;
            case FieldKind.UInt32 or FieldKind.Fixed32: Number((uint)value); break;
            case FieldKind.Int64 or FieldKind.SFixed64: QuotedNumber((long)value); break;
            case FieldKind.SInt64: QuotedNumber(ZigZag.Decode(value)); break;
            case FieldKind.UInt64 or FieldKind.Fixed64: QuotedNumber(value); break;
            case FieldKind.Bool: Bool(value != 0); break;
            default: Enum(field.Enum!, (int)value); break;
        }
    }

    private void Enum(EnumTable type, int value)
    {
        if (type.IsNullValue) Raw("null"u8);
        else if (type.Token(value) is { } token) Raw(token.Quoted);
        else Number(value);
    }

    public void Bool(bool value) => Raw(value ? "true"u8 : "false"u8);

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public void Number(uint value)
    {
        if (value < 10)
        {
            _span[_position++] = (byte)('0' + value);
            return;
        }
        Utf8Formatter.TryFormat(value, _span[_position..], out var written);
        _position += written;
    }

    public void Number(int value)
    {
        if (value < 0)
        {
            _span[_position++] = (byte)'-';
            Number((uint)-(long)value);
            return;
        }
        Number((uint)value);
    }

    /// <summary>Writes a number of up to 20 digits.</summary>
    public void Plain(ulong value)
    {
        Utf8Formatter.TryFormat(value, _span[_position..], out var written);
        _position += written;
    }

    /// <summary>Writes a number with leading zeros.</summary>
    public void Digits(int value, int digits)
    {
        for (var i = _position + digits - 1; i >= _position; i--, value /= 10) _span[i] = (byte)('0' + (value % 10));
        _position += digits;
    }

    public void QuotedNumber(ulong value)
    {
        Byte((byte)'"');
        Plain(value);
        Byte((byte)'"');
    }

    public void QuotedNumber(long value)
    {
        Byte((byte)'"');
        if (value < 0) Byte((byte)'-');
        Plain(value < 0 ? 0UL - (ulong)value : (ulong)value);
        Byte((byte)'"');
    }

    public void Number(double value)
    {
        if (!double.IsFinite(value))
        {
            NotFinite(value);
            return;
        }
        value.TryFormat(_span[_position..], out var written, "r", CultureInfo.InvariantCulture);
        _position += written;
    }

    public void Number(float value, FloatTextCache texts)
    {
        if (float.IsFinite(value)) _position += texts.Write(value, _span[_position..]);
        else NotFinite(value);
    }

    /// <summary>Writes a string in quotes, escaped. Needs six times its bytes plus two.</summary>
    public void String(ReadOnlySpan<byte> utf8)
    {
        Byte((byte)'"');
        Escape(utf8);
        Byte((byte)'"');
    }

    /// <summary>The same for a string of any length: reserves memory itself.</summary>
    public void LongString(ReadOnlySpan<byte> utf8)
    {
        Ensure(1);
        Byte((byte)'"');
        while (utf8.Length > StringChunk)
        {
            var cut = StringChunk;
            // Do not split a character, which has up to three continuation bytes 10xxxxxx. Four in a row are invalid UTF-8, and may be
            // split.
            while (cut > StringChunk - 4 && (utf8[cut] & 0xC0) == 0x80) cut--;
            if (cut == StringChunk - 4) cut = StringChunk;
            Ensure(cut * JsonEscape.MaxBytes);
            Escape(utf8[..cut]);
            utf8 = utf8[cut..];
        }
        Ensure((utf8.Length * JsonEscape.MaxBytes) + 1);
        Escape(utf8);
        Byte((byte)'"');
    }

    /// <summary>Writes bytes as base64 in quotes. Needs four bytes for every three or fewer, plus two.</summary>
    public void Base64(ReadOnlySpan<byte> bytes)
    {
        Byte((byte)'"');
        System.Buffers.Text.Base64.EncodeToUtf8(bytes, _span[_position..], out _, out var written);
        _position += written;
        Byte((byte)'"');
    }

    /// <summary>The same for any number of bytes: reserves memory itself.</summary>
    public void LongBase64(ReadOnlySpan<byte> bytes)
    {
        Ensure(1);
        Byte((byte)'"');
        while (true)
        {
            var chunk = bytes[..Math.Min(bytes.Length, Base64Chunk)];
            Ensure(System.Buffers.Text.Base64.GetMaxEncodedToUtf8Length(chunk.Length) + 1);
            System.Buffers.Text.Base64.EncodeToUtf8(chunk, _span[_position..], out _, out var written);
            _position += written;
            if (chunk.Length == bytes.Length) break;
            bytes = bytes[chunk.Length..];
        }
        Byte((byte)'"');
    }

    private void NotFinite(double value) => Raw(double.IsNaN(value) ? "\"NaN\""u8 : value > 0 ? "\"Infinity\""u8 : "\"-Infinity\""u8);

    /// <summary>Writes a string without its quotes. Needs six times its bytes.</summary>
    public void Escape(ReadOnlySpan<byte> utf8) => _position += JsonEscape.Write(utf8, _span[_position..]);

    private void Grow(int bytes)
    {
        output.Advance(_position);
        _flushed += _position;
        _position = 0;
        if (_flushed > maxBytes) ThrowTooLarge(maxBytes);
        // Small messages use small buffers; the size grows with the output.
        _span = output.GetSpan(Math.Max(bytes, (int)Math.Clamp(_flushed, MinChunk, MaxChunk)));
    }

    [DoesNotReturn]
    private static void ThrowTooLarge(int maxBytes) =>
        throw new ProtoJsonException(ProtoJsonError.LimitExceeded, $"the JSON would be larger than {maxBytes} bytes", 0);
}
