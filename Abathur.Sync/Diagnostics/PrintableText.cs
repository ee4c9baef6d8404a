using System.Buffers;
using System.Globalization;
using System.Text;

namespace Abathur.Sync.Diagnostics;

/// <summary>
/// Text of others (names, topics, answers) for a terminal or a log: control characters, which could move the cursor, change earlier lines
/// or begin a line of their own, are shown as escapes: <c>\x1b</c>, <c>\n</c>. So are those that reverse the direction of text.
/// </summary>
internal static class PrintableText
{
    // Of the characters that are escaped, but for those that JSON itself escapes.
    private static readonly SearchValues<byte> FirstBytes = SearchValues.Create([0x7f, 0xc2, 0xe2]);

    /// <summary>The text with escapes; the same one if it needs none. Tabs stay.</summary>
    public static string Escape(string text)
    {
        if (!text.Any(IsEscaped)) return text;
        var output = new StringBuilder(text.Length + 16);
        foreach (var each in text)
        {
            _ = each switch
            {
                _ when !IsEscaped(each) => output.Append(each),
                '\n' => output.Append(@"\n"),
                '\r' => output.Append(@"\r"),
                <= '\xff' => output.Append(CultureInfo.InvariantCulture, $@"\x{(int)each:x2}"),
                _ => output.Append(CultureInfo.InvariantCulture, $@"\u{(int)each:x4}"),
            };
        }
        return output.ToString();
    }

    /// <summary>Equal JSON with the same characters as escapes: by the rules of JSON, most of them may stand in a string as they
    /// are.</summary>
    public static string EscapeJson(string json)
    {
        if (!json.Any(IsEscaped)) return json;
        var output = new StringBuilder(json.Length + 16);
        foreach (var each in json)
        {
            // Line ends are between the strings.
            if (IsEscaped(each) && each is not ('\r' or '\n')) output.Append(CultureInfo.InvariantCulture, $@"\u{(int)each:x4}");
            else output.Append(each);
        }
        return output.ToString();
    }

    /// <summary>The same in UTF-8.</summary>
    public static ReadOnlySpan<byte> EscapeJson(ReadOnlySpan<byte> json) =>
        json.IndexOfAny(FirstBytes) < 0 ? json : Encoding.UTF8.GetBytes(EscapeJson(Encoding.UTF8.GetString(json)));

    /// <summary>Whether a character is shown as an escape.</summary>
    public static bool IsEscaped(char character) =>
        (char.IsControl(character) && character != '\t')
        || character is '\u2028' or '\u2029' or (>= '\u202a' and <= '\u202e') or (>= '\u2066' and <= '\u2069');
}
