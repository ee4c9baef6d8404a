using System.Diagnostics;
using Abathur.Benchmarks.Codecs;

namespace Abathur.Benchmarks.Match;

/// <summary>One frame, timed: each operation once and by itself.</summary>
/// <param name="EncodeTicks">Stopwatch ticks of encoding.</param>
/// <param name="DecodeTicks">Of decoding.</param>
/// <param name="DecodeTouchTicks">Of decoding once more and reading each field.</param>
/// <param name="EncodeAllocated">Bytes that encoding allocated.</param>
/// <param name="DecodeAllocated">Bytes that decoding allocated.</param>
internal readonly record struct FrameSample(
    long EncodeTicks, long DecodeTicks, long DecodeTouchTicks, long EncodeAllocated, long DecodeAllocated)
{
    /// <summary>Makes the source object (not timed), then times.</summary>
    public static FrameSample Take(ICodec codec, byte[] observation)
    {
        var source = codec.Prepare(observation);

        var allocated = GC.GetAllocatedBytesForCurrentThread();
        var start = Stopwatch.GetTimestamp();
        var encoded = codec.Encode(source);
        var encodeTicks = Stopwatch.GetTimestamp() - start;
        var encodeAllocated = GC.GetAllocatedBytesForCurrentThread() - allocated;

        allocated = GC.GetAllocatedBytesForCurrentThread();
        start = Stopwatch.GetTimestamp();
        var decoded = codec.Decode(encoded);
        var decodeTicks = Stopwatch.GetTimestamp() - start;
        var decodeAllocated = GC.GetAllocatedBytesForCurrentThread() - allocated;
        GC.KeepAlive(decoded);

        start = Stopwatch.GetTimestamp();
        // A stream has been decoded once when its next frame is to follow.
        var touched = codec.IsStream ? decoded : codec.Decode(encoded);
        var checksum = codec.Touch(touched);
        var touchTicks = Stopwatch.GetTimestamp() - start + (codec.IsStream ? decodeTicks : 0);
        GC.KeepAlive(touched);
        Discard = checksum;
        return new FrameSample(encodeTicks, decodeTicks, touchTicks, encodeAllocated, decodeAllocated);
    }

    // Somewhere to put what was computed, so that nothing of it can be omitted.
    private static ulong Discard { get; set; }
}
