using System.Globalization;
using Abathur.Mcap;

namespace Abathur.Recordings;

/// <summary>How many frames a compact recording has in its segments: the metadata record <c>abathur.compact</c>. It holds only for a file
/// with so many segments.</summary>
/// <param name="Segments">Segments of the file.</param>
/// <param name="Frames">Frames in them.</param>
internal readonly record struct CompactFrames(long Segments, long Frames)
{
    /// <summary>Name of the metadata record.</summary>
    public const string MetadataName = "abathur.compact";

    private const string SegmentsKey = "segments", FramesKey = "frames";

    public McapMetadata ToMetadata() => new(
        MetadataName,
        new Dictionary<string, string>
        {
            [SegmentsKey] = Segments.ToString(CultureInfo.InvariantCulture),
            [FramesKey] = Frames.ToString(CultureInfo.InvariantCulture),
        });

    public static CompactFrames From(McapMetadata metadata) => new(Number(metadata, SegmentsKey), Number(metadata, FramesKey));

    // -1 is no number of segments.
    private static long Number(McapMetadata metadata, string key) =>
        metadata.Values.TryGetValue(key, out var text)
            && long.TryParse(text, NumberStyles.None, CultureInfo.InvariantCulture, out var number) ? number : -1;
}
