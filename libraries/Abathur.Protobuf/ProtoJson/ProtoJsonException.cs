namespace Abathur.Protobuf.ProtoJson;

/// <summary>
/// The input is malformed, of another type, or exceeds a limit. The only exception that <see cref="ProtoJsonTranscoder"/> throws for any
/// input.
/// </summary>
public sealed class ProtoJsonException : Exception
{
    internal ProtoJsonException(ProtoJsonError error, string problem, int position)
        : base(problem) => (Error, Position) = (error, position);

    internal ProtoJsonException(ProtoJsonError error, string problem, int position, JsonLocation location)
        : base($"line {location.Line}, column {location.Column}{(location.Path.Length == 0 ? "" : $", {location.Path}")}: {problem}") =>
        (Error, Position, Line, Column, Path) = (error, position, location.Line, location.Column, location.Path);

    /// <summary>The kind of error.</summary>
    public ProtoJsonError Error { get; }

    /// <summary>Offset in the input, in bytes.</summary>
    public int Position { get; }

    /// <summary>Line of JSON input, from 1; 0 if the input was protobuf.</summary>
    public int Line { get; }

    /// <summary>Column in that line in characters, from 1; 0 if the input was protobuf.</summary>
    public int Column { get; }

    /// <summary>Where in the JSON document, e.g. <c>observation.rawData.units[3].pos.x</c>; empty at the top level, and if the input was
    /// protobuf.</summary>
    public string Path { get; } = "";

    /// <summary>A name or value for an error message.</summary>
    internal static string Shown(ReadOnlySpan<byte> text)
    {
        const int most = 64;
        return text.Length <= most ? System.Text.Encoding.UTF8.GetString(text) : System.Text.Encoding.UTF8.GetString(text[..most]) + "...";
    }
}
