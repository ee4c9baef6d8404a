using Abathur.Sync.Recordings;

namespace Abathur.Sync.Tests.Sources.Synth;

/// <summary>Reads <c>shared/sequences/*.obs.zst</c>: delimited observations under zstd.</summary>
internal static class SequenceFile
{
    /// <summary>The first frames of a file, each a <c>ResponseObservation</c>.</summary>
    public static List<byte[]> Read(string path, int frames)
    {
        using var stream = ImportInput.FromFile(path).Open();
        using var reader = new DelimitedObservationReader(stream, path);
        var read = new List<byte[]>();
        while (read.Count < frames && reader.TryReadNext(out var observation)) read.Add(observation.ToArray());
        return read;
    }
}
