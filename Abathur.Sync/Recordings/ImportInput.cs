using Abathur.Sync.Encodings.Compression;

namespace Abathur.Sync.Recordings;

/// <summary>Where observations are imported from.</summary>
/// <param name="Name">What to call it in errors: the path.</param>
/// <param name="Open">Opens it for reading.</param>
/// <param name="IsSingle">Whether it is one serialized observation without a length, rather than a length-delimited stream.</param>
public sealed record ImportInput(string Name, Func<Stream> Open, bool IsSingle)
{
    private static readonly string[] SingleEndings = [".binpb", ".pb"];

    /// <summary>A file, by its name.</summary>
    /// <remarks>
    /// <c>.binpb</c> and <c>.pb</c> are one serialized observation, everything else a length-delimited stream; <c>.zst</c> behind either is
    /// decompressed.
    /// </remarks>
    public static ImportInput FromFile(string path)
    {
        var isZstd = path.EndsWith(".zst", StringComparison.OrdinalIgnoreCase);
        var inner = isZstd ? path[..^4] : path;
        return new ImportInput(path, () => OpenFile(path, isZstd), SingleEndings.Any(end => inner.EndsWith(end, StringComparison.OrdinalIgnoreCase)));
    }

    /// <summary>The files of a folder and the folders below it, in order of their paths: <c>observation*.binpb</c>, <c>*.obs</c>, each also with <c>.zst</c>.</summary>
    /// <exception cref="RecordingException">There are none.</exception>
    public static IReadOnlyList<ImportInput> FromFolder(string folder)
    {
        string[] patterns = ["observation*.binpb", "observation*.binpb.zst", "*.obs", "*.obs.zst"];
        var files = patterns.SelectMany(pattern => Directory.EnumerateFiles(folder, pattern, SearchOption.AllDirectories))
            .Distinct().Order(StringComparer.Ordinal).Select(FromFile).ToArray();
        if (files.Length == 0) throw new RecordingException($"folder {folder} has no files named {string.Join(", ", patterns)}");
        return files;
    }

    private static Stream OpenFile(string path, bool isZstd)
    {
        var file = new FileStream(path, FileMode.Open, FileAccess.Read, FileShare.Read, bufferSize: 0, FileOptions.SequentialScan);
        if (!isZstd) return file;
        try
        {
            return new ZstdDecompressionStream(file);
        }
        catch
        {
            file.Dispose();
            throw;
        }
    }
}
