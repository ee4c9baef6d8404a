using System.Buffers;
using System.Buffers.Text;
using System.Text;

namespace Abathur.Protobuf.ProtoJson.Text;

/// <summary>Writes strings as Google's formatters do: escaped if JSON requires it, if HTML would interpret it, and if a character is
/// invisible.</summary>
internal static class JsonEscape
{
    /// <summary>Maximum number of output bytes per byte of a string: <c>\u0000</c>.</summary>
    public const int MaxBytes = 6;

    // Bytes that may have to be escaped; a string without them is copied.
    private static readonly SearchValues<byte> Special = SearchValues.Create(
        [.. Enumerable.Range(0, 256).Select(each => (byte)each).Where(
            each => each is < 0x20 or (byte)'"' or (byte)'\\' or (byte)'<' or (byte)'>' or >= 0x7f)]);

    /// <summary>Writes a string without its quotes and returns the number of bytes.</summary>
    /// <param name="utf8">The string.</param>
    /// <param name="output">Has room for <see cref="MaxBytes"/> times its bytes.</param>
    public static int Write(ReadOnlySpan<byte> utf8, Span<byte> output)
    {
        var written = 0;
        while (true)
        {
            var plain = utf8.IndexOfAny(Special);
            var asItIs = plain < 0 ? utf8 : utf8[..plain];
            asItIs.CopyTo(output[written..]);
            written += asItIs.Length;
            if (plain < 0) return written;
            utf8 = utf8[plain..];
            Rune.DecodeFromUtf8(utf8, out var rune, out var consumed);
            written += Write(rune, output[written..]);
            utf8 = utf8[consumed..];
        }
    }

    private static int Write(Rune rune, Span<byte> output)
    {
        switch (rune.Value)
        {
            case '"': return Copy("\\\""u8, output);
            case '\\': return Copy("\\\\"u8, output);
            case '\b': return Copy("\\b"u8, output);
            case '\f': return Copy("\\f"u8, output);
            case '\n': return Copy("\\n"u8, output);
            case '\r': return Copy("\\r"u8, output);
            case '\t': return Copy("\\t"u8, output);
            case > 0xFFFF:
                var offset = rune.Value - 0x10000;
                var first = Hex(0xD800 + (offset >> 10), output);
                return first + Hex(0xDC00 + (offset & 0x3FF), output[first..]);
            case var value when MustBeHex(value): return Hex(value, output);
            default: return rune.EncodeToUtf8(output);
        }
    }

    private static bool MustBeHex(int value) => value is < 0x20 or '<' or '>' or (>= 0x7F and <= 0x9F)
        or 0xAD or (>= 0x600 and <= 0x603) or 0x6DD or 0x70F or 0x17B4 or 0x17B5
        or (>= 0x200B and <= 0x200F) or (>= 0x2028 and <= 0x202E) or (>= 0x2060 and <= 0x2064) or (>= 0x206A and <= 0x206F)
        or 0xFEFF or (>= 0xFFF9 and <= 0xFFFB);

    private static int Hex(int value, Span<byte> output)
    {
        var prefix = Copy("\\u"u8, output);
        Utf8Formatter.TryFormat((uint)value, output[prefix..], out var digits, new StandardFormat('x', 4));
        return prefix + digits;
    }

    private static int Copy(ReadOnlySpan<byte> bytes, Span<byte> output)
    {
        bytes.CopyTo(output);
        return bytes.Length;
    }
}
