using System.Text;

namespace Abathur.Sync.Diagnostics;

/// <summary>Writes lines to a terminal, with escapes for the control characters in them (<see cref="PrintableText"/>).</summary>
/// <param name="terminal">Where they are written; it stays open.</param>
internal sealed class PrintableWriter(TextWriter terminal) : TextWriter
{
    public override Encoding Encoding => terminal.Encoding;

    public override void Write(char value) => Write(value.ToString());

    public override void Write(string? value)
    {
        // The end of a line that another writer has put together stays one.
        var ends = value?.EndsWith(NewLine, StringComparison.Ordinal) == true;
        terminal.Write(ends ? PrintableText.Escape(value![..^NewLine.Length]) + NewLine : PrintableText.Escape(value ?? ""));
    }

    public override void Write(char[] buffer, int index, int count) => Write(new string(buffer, index, count));

    public override void WriteLine(string? value) => terminal.WriteLine(PrintableText.Escape(value ?? ""));

    public override void WriteLine() => terminal.WriteLine();

    public override void Flush() => terminal.Flush();
}
