using System.Text;
using System.Text.Encodings.Web;
using System.Text.Json;
using Abathur.Sync.Diagnostics;

namespace Abathur.Sync.Tests.Diagnostics;

public sealed class PrintableTextTests
{
    private static readonly JsonSerializerOptions Relaxed = new() { Encoder = JavaScriptEncoder.UnsafeRelaxedJsonEscaping };

    [Theory]
    [InlineData("King's Cove LE", "King's Cove LE")]
    [InlineData("에이지 🐝 é\t|", "에이지 🐝 é\t|")]
    [InlineData("a\u001b[2Jb", @"a\x1b[2Jb")]
    [InlineData("a\nabathur-sync: error: b\r\n", @"a\nabathur-sync: error: b\r\n")]
    [InlineData("\0\u007f\u009b31m\u0007", @"\x00\x7f\x9b31m\x07")]
    [InlineData("\u202egnp.\u2066x\u2028", @"\u202egnp.\u2066x\u2028")]
    public void Escape_Text_ShowsControlCharacters(string text, string expected) => Assert.Equal(expected, PrintableText.Escape(text));

    [Fact]
    public void EscapeJson_EveryCharacter_IsTheSameTextWithoutControlCharacters()
    {
        var text = new string([.. Enumerable.Range(0, 0xd800).Select(each => (char)each)]) + "🐝";
        // As other writers of JSON leave them.
        var json = JsonSerializer.Serialize(text, Relaxed).Replace(@"\u007F", "\u007f", StringComparison.Ordinal)
            .Replace(@"\u009B", "\u009b", StringComparison.Ordinal);
        var escaped = PrintableText.EscapeJson(json);
        Assert.Contains("\u007f", json, StringComparison.Ordinal);
        Assert.DoesNotContain(escaped, PrintableText.IsEscaped);
        Assert.Equal(text, JsonSerializer.Deserialize<string>(escaped));
        Assert.Equal(escaped, Encoding.UTF8.GetString(PrintableText.EscapeJson(Encoding.UTF8.GetBytes(json))));
    }

    [Fact]
    public void Writer_Lines_EndWhereTheyAreWritten()
    {
        using var output = new StringWriter { NewLine = "\n" };
        using var writer = new PrintableWriter(output) { NewLine = "\n" };
        writer.WriteLine("a\nb\u001b[A");
        writer.WriteLine($"{1} c\r");
        writer.Write("d\n");
        writer.WriteLine();
        Assert.Equal("a\\nb\\x1b[A\n1 c\\r\nd\n\n", output.ToString());
    }
}
