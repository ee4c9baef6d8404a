using Abathur.Compression;
using Abathur.Mcap;
using Abathur.Recordings.Delimited;

namespace Abathur.Recordings.Conversion;

/// <summary>An input of an import.</summary>
/// <param name="Name">Its name for errors: the path.</param>
/// <param name="Open">Opens it for reading.</param>
/// <param name="IsSingle">Whether it is one serialized observation without a length, rather than a length-delimited stream.</param>
public sealed record ImportInput(string Name, Func<Stream> Open, bool IsSingle)
{
    private static readonly string[] SingleEndings = [".binpb", ".pb"];

    /// <summary>A file, with the format determined by its name.</summary>
    /// <remarks>
    /// <c>.binpb</c> and <c>.pb</c> are one serialized observation, everything else a length-delimited stream; an additional
    /// <c>.zst</c> is decompressed.
    /// </remarks>
    /// <param name="path">The file.</param>
    /// <param name="onRead">Called with the number of bytes of each read, as they are in the file. Default: none.</param>
    public static ImportInput FromFile(string path, Action<int>? onRead = null)
    {
        var isZstd = path.EndsWith(".zst", StringComparison.OrdinalIgnoreCase);
        var inner = isZstd ? path[..^4] : path;
        return new ImportInput(
            path, () => OpenFile(path, isZstd, onRead), SingleEndings.Any(end => inner.EndsWith(end, StringComparison.OrdinalIgnoreCase)));
    }

    /// <summary>The files of a folder and the folders below it, in order of their paths: <c>observation*.binpb</c>, <c>*.obs</c>, each also
    /// with <c>.zst</c>.</summary>
    /// <param name="folder">The folder.</param>
    /// <param name="onRead">As for <see cref="FromFile"/>.</param>
    /// <exception cref="RecordingException">The folder has no such files.</exception>
    public static IReadOnlyList<ImportInput> FromFolder(string folder, Action<int>? onRead = null)
    {
        string[] patterns = ["observation*.binpb", "observation*.binpb.zst", "*.obs", "*.obs.zst"];
        var files = patterns.SelectMany(pattern => Directory.EnumerateFiles(folder, pattern, SearchOption.AllDirectories))
            .Distinct().Order(StringComparer.Ordinal).Select(file => FromFile(file, onRead)).ToArray();
        if (files.Length == 0) throw new RecordingException($"folder {folder} has no files named {string.Join(", ", patterns)}");
        return files;
    }

    /// <summary>Reads a file that is a single message.</summary>
    /// <param name="stream">The file.</param>
    /// <param name="name">Its name for errors.</param>
    /// <exception cref="RecordingException">It has more than <see cref="DelimitedObservationReader.MaxObservationBytes"/>.</exception>
    /// <exception cref="IOException">It cannot be read.</exception>
    public static byte[] ReadAll(Stream stream, string name)
    {
        using var copy = new MemoryStream();
        var buffer = new byte[64 * 1024];
        for (int read; (read = stream.Read(buffer)) > 0;)
        {
            copy.Write(buffer, 0, read);
            if (copy.Length > DelimitedObservationReader.MaxObservationBytes)
                throw new RecordingException(
                    $"{name} is larger than a message can be ({DelimitedObservationReader.MaxObservationBytes} bytes)");
        }
        return copy.ToArray();
    }

    // No stream of observations begins with these bytes: the length would be followed by a field that observations do not have.
    private static void RefuseOtherFormats(FileStream file, bool isZstd)
    {
        if (!file.CanSeek) return;
        Span<byte> start = stackalloc byte[McapFormat.Magic.Length];
        start = start[..file.ReadAtLeast(start, start.Length, throwOnEndOfStream: false)];
        file.Position = 0;
        if (start.SequenceEqual(McapFormat.Magic))
            throw new RecordingException($"{file.Name} is an MCAP file, not a stream of observations") { Remedy = RecordingRemedy.Open };
        var problem = 0 switch
        {
            _ when start.StartsWith<byte>([0x1F, 0x8B, 8]) =>
                "is compressed with gzip, which is not supported: decompress it first, e.g. with `gzip -d`",
            _ when start.StartsWith<byte>([(byte)'B', (byte)'Z', (byte)'h'])
                || start.StartsWith<byte>([0xFD, (byte)'7', (byte)'z', (byte)'X', (byte)'Z'])
                || start.StartsWith("PK\x03\x04"u8) =>
                "is an archive (bzip2, xz or zip), which is not supported: decompress it first",
            _ when !isZstd && start.StartsWith<byte>([0x28, 0xB5, 0x2F, 0xFD]) =>
                "is compressed with zstd: give it a name that ends in .zst",
            _ => null,
        };
        if (problem is not null) throw new RecordingException($"{file.Name} {problem}");
    }

    private static Stream OpenFile(string path, bool isZstd, Action<int>? onRead)
    {
        var file = new FileStream(path, FileMode.Open, FileAccess.Read, FileShare.Read, bufferSize: 0, FileOptions.SequentialScan);
        try
        {
            RefuseOtherFormats(file, isZstd);
            Stream read = onRead is null ? file : new CountedStream(file, onRead);
            return isZstd ? new ZstdDecompressionStream(read) : read;
        }
        catch
        {
            file.Dispose();
            throw;
        }
    }

    private sealed class CountedStream(Stream inner, Action<int> onRead) : ForwardOnlyStream
    {
        public override bool CanRead => true;

        public override int Read(Span<byte> buffer)
        {
            var count = inner.Read(buffer);
            onRead(count);
            return count;
        }

        protected override void Dispose(bool disposing)
        {
            if (disposing) inner.Dispose();
            base.Dispose(disposing);
        }
    }
}
