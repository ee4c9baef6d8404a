using System.Text;

namespace Abathur.Protobuf.ProtoJson;

/// <summary>The location of a byte in a JSON text, for error messages. Computed only for errors, by a second pass over the text.</summary>
/// <param name="Line">From 1.</param>
/// <param name="Column">In characters, from 1.</param>
/// <param name="Path">Path of members and indices, e.g. <c>units[3].pos.x</c>.</param>
internal readonly record struct JsonLocation(int Line, int Column, string Path)
{
    private const int MaxNameLength = 64;
    private const int MaxSteps = ProtoJsonOptions.MaxMaxDepth + 1;

    /// <summary>The location of a byte. The quotes in the text before it must be balanced.</summary>
    public static JsonLocation Of(ReadOnlySpan<byte> json, int position)
    {
        var before = json[..Math.Min(position, json.Length)];
        var line = 1 + before.Count((byte)'\n');
        var column = 1;
        foreach (var each in before[(before.LastIndexOf((byte)'\n') + 1)..])
        {
            // Continuation bytes of a character, 10xxxxxx, do not count.
            if ((each & 0xC0) != 0x80) column++;
        }
        return new JsonLocation(line, column, PathTo(before));
    }

    private static string PathTo(ReadOnlySpan<byte> before)
    {
        var steps = new List<PathStep>();
        ReadOnlySpan<byte> text = default;
        for (var i = 0; i < before.Length && steps.Count <= MaxSteps; i++)
        {
            switch (before[i])
            {
                case (byte)'{': steps.Add(new PathStep { Index = -1 }); break;
                case (byte)'[': steps.Add(new PathStep()); break;
                case (byte)'}' or (byte)']' when steps.Count > 0: steps.RemoveAt(steps.Count - 1); break;
                case (byte)'"':
                    var start = ++i;
                    while (i < before.Length && before[i] != '"') i += before[i] == '\\' ? 2 : 1;
                    text = before[start..Math.Min(i, before.Length)];
                    break;
                case (byte)':' when steps.Count > 0 && steps[^1].Index < 0:
                    steps[^1] = steps[^1] with { Name = Encoding.UTF8.GetString(text) };
                    break;
                case (byte)',' when steps.Count > 0:
                    steps[^1] = steps[^1].Index < 0 ? new PathStep { Index = -1 } : steps[^1] with { Index = steps[^1].Index + 1 };
                    break;
                default: break;
            }
        }
        var path = new StringBuilder();
        foreach (var step in steps)
        {
            if (step.Index >= 0) path.Append('[').Append(step.Index).Append(']');
            else if (step.Name is { } name)
                path.Append(path.Length == 0 ? "" : ".").Append(name.Length <= MaxNameLength ? name : name[..MaxNameLength] + "...");
        }
        return path.ToString();
    }

    private readonly record struct PathStep(int Index, string? Name);
}
