using Abathur.Compression;

namespace Abathur.Testing;

/// <summary>Reads <c>shared/sequences/*.obs.zst</c>: serialized <c>ResponseObservation</c> messages, each behind its length as a varint,
/// compressed with zstd.</summary>
public static class SequenceFile
{
    /// <summary>The sequences that tests go through: one, and all seven where <see cref="Runs.IsFull"/>.</summary>
    public static IReadOnlyList<string> Tested()
    {
        var files = Directory.GetFiles(SharedData.PathTo("sequences"), "*.obs.zst").Order(StringComparer.Ordinal).ToList();
        Assert.Equal(7, files.Count);
        return Runs.IsFull ? files : files[..1];
    }

    /// <summary>The observations in order.</summary>
    public static IEnumerable<byte[]> Frames(string path)
    {
        using var stream = new BufferedStream(new ZstdDecompressionStream(File.OpenRead(path)), 1 << 20);
        while (TryReadLength(stream, out var length))
        {
            var observation = new byte[length];
            stream.ReadExactly(observation);
            yield return observation;
        }
    }

    /// <summary>The first observations.</summary>
    public static List<byte[]> Read(string path, int frames) => [.. Frames(path).Take(frames)];

    private static bool TryReadLength(Stream stream, out int length)
    {
        length = 0;
        for (var shift = 0; stream.ReadByte() is var next and >= 0; shift += 7)
        {
            length |= (next & 0x7F) << shift;
            if (next < 0x80) return true;
        }
        return false;
    }
}
