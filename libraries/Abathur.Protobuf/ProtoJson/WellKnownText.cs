namespace Abathur.Protobuf.ProtoJson;

/// <summary>The paths of <c>google.protobuf.FieldMask</c>: snake_case in protobuf, camelCase in JSON.</summary>
internal static class WellKnownText
{
    /// <summary>Whether Google's formatter accepts the path: no capitals, and a lower case letter or the end after each
    /// underscore.</summary>
    public static bool SurvivesCamelCase(ReadOnlySpan<byte> path)
    {
        for (var i = 0; i < path.Length; i++)
        {
            if (path[i] is >= (byte)'A' and <= (byte)'Z') return false;
            if (path[i] == '_' && i + 1 < path.Length && path[i + 1] is < (byte)'a' or > (byte)'z') return false;
        }
        return true;
    }

    /// <summary>Writes the path in camelCase, which is never longer, and returns its bytes.</summary>
    public static int ToCamelCase(ReadOnlySpan<byte> path, Span<byte> output)
    {
        var length = 0;
        for (var i = 0; i < path.Length; i++)
        {
            if (path[i] != '_') output[length++] = path[i];
            else if (++i < path.Length) output[length++] = (byte)(path[i] - 'a' + 'A');
        }
        return length;
    }

    /// <summary>
    /// Writes the path in snake_case, at most twice as long, and returns its bytes; -1 if it has an underscore. Of consecutive capitals,
    /// only the last one before a lower case letter begins a word, as in Google's parsers.
    /// </summary>
    public static int ToSnakeCase(ReadOnlySpan<byte> path, Span<byte> output)
    {
        var length = 0;
        var afterSmall = false;
        for (var i = 0; i < path.Length; i++)
        {
            var isCapital = path[i] is >= (byte)'A' and <= (byte)'Z';
            if (path[i] == '_') return -1;
            if (!isCapital)
            {
                output[length++] = path[i];
                afterSmall = true;
                continue;
            }
            var beforeSmall = i + 1 < path.Length && path[i + 1] is >= (byte)'a' and <= (byte)'z';
            if (i > 0 && (afterSmall || beforeSmall)) output[length++] = (byte)'_';
            output[length++] = (byte)(path[i] - 'A' + 'a');
            afterSmall = false;
        }
        return length;
    }
}
