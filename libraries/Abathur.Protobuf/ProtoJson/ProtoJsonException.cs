namespace Abathur.Protobuf.ProtoJson;

/// <summary>
/// What was to be transcoded is not what it should be: malformed, of another type, or beyond a limit. The only exception that leaves
/// <see cref="ProtoJsonTranscoder"/> for any input.
/// </summary>
public sealed class ProtoJsonException : Exception
{
    internal ProtoJsonException(ProtoJsonError error, string problem, int position)
        : base(problem) => (Error, Position) = (error, position);

    internal ProtoJsonException(ProtoJsonError error, string problem, int position, JsonLocation location)
        : base($"line {location.Line}, column {location.Column}{(location.Path.Length == 0 ? "" : $", {location.Path}")}: {problem}") =>
        (Error, Position, Line, Column, Path) = (error, position, location.Line, location.Column, location.Path);

    /// <summary>What kind of refusal it is.</summary>
    public ProtoJsonError Error { get; }

    /// <summary>Offset in the input, in bytes.</summary>
    public int Position { get; }

    /// <summary>Line of JSON input, from 1; 0 where the input was protobuf.</summary>
    public int Line { get; }

    /// <summary>Column in that line in characters, from 1; 0 where the input was protobuf.</summary>
    public int Column { get; }

    /// <summary>Where in the JSON document, e.g. <c>observation.rawData.units[3].pos.x</c>; empty at the top, and where the input was protobuf.</summary>
    public string Path { get; } = "";

    /// <summary>A name or value as an error shows it.</summary>
    internal static string Shown(ReadOnlySpan<byte> text)
    {
        const int most = 64;
        return text.Length <= most ? System.Text.Encoding.UTF8.GetString(text) : System.Text.Encoding.UTF8.GetString(text[..most]) + "...";
    }
}
