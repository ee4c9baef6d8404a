using System.Buffers;
using System.Diagnostics.CodeAnalysis;
using System.Runtime.CompilerServices;
using System.Text;
using System.Text.Unicode;

namespace Abathur.Protobuf.ProtoJson.ToWire;

/// <summary>
/// Reads the tokens of a JSON text (RFC 8259) in place, in the order that the caller expects. Any error, including invalid UTF-8, throws
/// <see cref="ProtoJsonException"/> with line, column and path.
/// </summary>
internal ref struct JsonCursor(ReadOnlySpan<byte> json)
{
    // Special characters in a string: its end, an escape, characters that must be escaped, and bytes that may be invalid UTF-8.
    private static readonly SearchValues<byte> NotPlain = SearchValues.Create(
        [.. Enumerable.Range(0, 256).Select(each => (byte)each).Where(each => each is < 0x20 or (byte)'"' or (byte)'\\' or >= 0x80)]);

    private readonly ReadOnlySpan<byte> _json = json;

    /// <summary>Offset of the next byte.</summary>
    public int Position;

    public readonly int Length => _json.Length;

    public readonly bool AtEnd => Position == _json.Length;

    public readonly ReadOnlySpan<byte> Rest => _json[Position..];

    public readonly ReadOnlySpan<byte> Slice(int start) => _json[start..];

    public readonly ReadOnlySpan<byte> Slice(int start, int end) => _json[start..end];

    /// <summary>Skips white space and returns the next byte without consuming it; 0 at the end.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public byte Peek()
    {
        while (Position < _json.Length)
        {
            var next = _json[Position];
            if (next > ' ') return next;
            if (next is not ((byte)' ' or (byte)'\n' or (byte)'\r' or (byte)'\t'))
                Fail($"the control character U+{next:X4} is not allowed here");
            Position++;
        }
        return 0;
    }

    /// <summary>Consumes an optional byte, after white space.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public bool TryTake(byte token)
    {
        if (Peek() != token) return false;
        Position++;
        return true;
    }

    /// <summary>Consumes a required byte, after white space.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public void Take(byte token)
    {
        if (Peek() != token) FailExpected($"'{(char)token}'");
        Position++;
    }

    /// <summary>Consumes <c>,</c> or the byte that ends the array or object; true for the comma.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public bool TakeCommaOr(byte end)
    {
        var next = Peek();
        if (next != ',' && next != end) FailExpected($"',' or '{(char)end}'");
        Position++;
        return next == ',';
    }

    /// <summary>Consumes <c>null</c>, <c>true</c> or <c>false</c>, whose first letter was checked.</summary>
    public void TakeLiteral(ReadOnlySpan<byte> literal)
    {
        if (!Rest.StartsWith(literal)) FailExpected("a value");
        Position += literal.Length;
    }

    /// <summary>Consumes a string and returns the text between its quotes, with escapes.</summary>
    public ReadOnlySpan<byte> TakeString(out bool hasEscapes)
    {
        if (Peek() != '"') FailExpected("a string");
        var start = ++Position;
        hasEscapes = false;
        var isAscii = true;
        while (true)
        {
            var length = Rest.IndexOfAny(NotPlain);
            if (length < 0)
            {
                Position = start - 1;
                Fail("the string that begins here does not end");
            }
            Position += length;
            switch (_json[Position])
            {
                case (byte)'"':
                    var text = _json[start..Position++];
                    if (!isAscii && !Utf8.IsValid(text)) FailAt(start + ValidBytes(text), "this is not UTF-8");
                    return text;
                case (byte)'\\':
                    hasEscapes = true;
                    Position = Math.Min(Position + 2, _json.Length);
                    break;
                case >= 0x80:
                    isAscii = false;
                    Position++;
                    break;
                default: Fail($"the control character U+{_json[Position]:X4} must be escaped in a string"); break;
            }
        }
    }

    /// <summary>
    /// The text between the quotes of the next string, if it ends and has no escapes. Does not consume it, and does not check anything
    /// else.
    /// </summary>
    public bool TryPeekUnescaped(out ReadOnlySpan<byte> text)
    {
        text = default;
        if (Peek() != '"') return false;
        var rest = _json[(Position + 1)..];
        var length = rest.IndexOfAny((byte)'"', (byte)'\\');
        if (length < 0 || rest[length] != '"') return false;
        text = rest[..length];
        return true;
    }

    /// <summary>
    /// Writes the text of a string with escapes into <paramref name="output"/>, which is as long as the string, and returns its bytes.
    /// <paramref name="text"/> is the last result of <see cref="TakeString"/>.
    /// </summary>
    public int Unescape(ReadOnlySpan<byte> text, Span<byte> output)
    {
        var after = Position;
        var offset = Position - 1 - text.Length;
        var length = 0;
        for (var i = 0; i < text.Length;)
        {
            var plain = text[i..].IndexOf((byte)'\\');
            if (plain < 0) plain = text.Length - i;
            text.Slice(i, plain).CopyTo(output[length..]);
            length += plain;
            i += plain;
            if (i == text.Length) break;
            Position = offset + i;
            length += UnescapeOne(text, ref i, output[length..]);
        }
        Position = after;
        return length;
    }

    private static int ValidBytes(ReadOnlySpan<byte> utf8)
    {
        var position = 0;
        while (Rune.DecodeFromUtf8(utf8[position..], out _, out var consumed) == OperationStatus.Done) position += consumed;
        return position;
    }

    private int UnescapeOne(ReadOnlySpan<byte> text, ref int i, Span<byte> output)
    {
        var letter = text[i + 1];
        i += 2;
        if (letter == 'u') return UnescapeUnicode(text, ref i, output);
        output[0] = letter switch
        {
            (byte)'"' or (byte)'\\' or (byte)'/' => letter,
            (byte)'b' => (byte)'\b',
            (byte)'f' => (byte)'\f',
            (byte)'n' => (byte)'\n',
            (byte)'r' => (byte)'\r',
            (byte)'t' => (byte)'\t',
            _ => FailEscape(),
        };
        return 1;
    }

    private int UnescapeUnicode(ReadOnlySpan<byte> text, ref int i, Span<byte> output)
    {
        var unit = TakeHex(text, ref i);
        if (Rune.TryCreate(unit, out var rune)) return rune.EncodeToUtf8(output);
        if (!char.IsHighSurrogate(unit) || i + 6 > text.Length || text[i] != '\\' || text[i + 1] != 'u')
            Fail("half of a surrogate pair stands alone");
        i += 2;
        if (!Rune.TryCreate(unit, TakeHex(text, ref i), out rune)) Fail("half of a surrogate pair stands alone");
        return rune.EncodeToUtf8(output);
    }

    private char TakeHex(ReadOnlySpan<byte> text, ref int i)
    {
        var value = 0;
        if (i + 4 > text.Length) FailEscape();
        foreach (var digit in text.Slice(i, 4))
        {
            if (!char.IsAsciiHexDigit((char)digit)) FailEscape();
            value = (value << 4) | (digit <= '9' ? digit - '0' : (digit | 0x20) - 'a' + 10);
        }
        i += 4;
        return (char)value;
    }

    [DoesNotReturn]
    private byte FailEscape()
    {
        Fail("unknown escape; valid are \\\" \\\\ \\/ \\b \\f \\n \\r \\t and \\u with four hexadecimal digits");
        return 0;
    }

    /// <summary>Consumes a number by JSON's grammar and returns its text.</summary>
    public ReadOnlySpan<byte> TakeNumber()
    {
        var start = Position;
        if (At(Position) == '-') Position++;
        if (At(Position) == '0') Position++;
        else TakeDigits();
        if (char.IsAsciiDigit((char)At(Position))) Fail("a number does not begin with 0");
        if (At(Position) == '.')
        {
            Position++;
            TakeDigits();
        }
        if ((At(Position) | 0x20) == 'e')
        {
            Position++;
            if (At(Position) is (byte)'+' or (byte)'-') Position++;
            TakeDigits();
        }
        return _json[start..Position];
    }

    /// <summary>The byte at an offset; 0 after the end.</summary>
    public readonly byte At(int position) => (uint)position < (uint)_json.Length ? _json[position] : (byte)0;

    private void TakeDigits()
    {
        if (!char.IsAsciiDigit((char)At(Position))) FailExpected("a digit");
        while (char.IsAsciiDigit((char)At(Position))) Position++;
    }

    /// <summary>Throws an error: something else was expected here.</summary>
    [DoesNotReturn]
    public void FailExpected(string expected)
    {
        var next = Peek();
        Fail($"expected {expected}, found {(next == 0 ? "the end" : Describe(next))}");
    }

    /// <summary>Throws an error at the current position.</summary>
    [DoesNotReturn]
    public readonly void Fail(string problem) => FailAt(Position, problem);

    /// <summary>Throws an error at an offset.</summary>
    [DoesNotReturn]
    public readonly void FailAt(int position, string problem) => Throw(ProtoJsonError.Malformed, position, problem);

    /// <summary>Throws an error: a limit is exceeded here.</summary>
    [DoesNotReturn]
    public readonly void FailLimit(string problem) => Throw(ProtoJsonError.LimitExceeded, Position, problem);

    [DoesNotReturn]
    private readonly void Throw(ProtoJsonError error, int position, string problem) =>
        throw new ProtoJsonException(error, problem, position, JsonLocation.Of(_json, position));

    private readonly string Describe(byte next)
    {
        if (next >= 0x80) return "another character";
        return next switch
        {
            (byte)'"' => "a string",
            (byte)'{' => "an object",
            (byte)'[' => "an array",
            (byte)'t' when Rest.StartsWith("true"u8) => "true",
            (byte)'f' when Rest.StartsWith("false"u8) => "false",
            (byte)'n' when Rest.StartsWith("null"u8) => "null",
            (byte)'-' or (>= (byte)'0' and <= (byte)'9') => "a number",
            _ => $"'{(char)next}'",
        };
    }
}
