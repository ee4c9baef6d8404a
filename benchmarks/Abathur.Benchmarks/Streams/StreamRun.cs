using System.Diagnostics;
using Abathur.Benchmarks.Codecs;
using Abathur.Benchmarks.Match;
using Abathur.Sync.Frames;
using Abathur.Sync.Frames.Encodings;
using Abathur.Sync.Hub;

namespace Abathur.Benchmarks.Streams;

/// <summary>One way to send a stream: what it does to each frame of a recording, in order, as the daemon would.</summary>
internal sealed class StreamRun : IDisposable
{
    private readonly StreamKey _key;
    private readonly List<List<double>> _rounds = [];
    private IFrameEncoder? _encoder;
    private long _bytes;
    private long _keyframeBytes;
    private int _keyframes;
    private int _frames;
    private int _largest;

    /// <param name="name">As in results.</param>
    /// <param name="format">What the stream sends.</param>
    public StreamRun(string name, PayloadFormat format)
    {
        Name = name;
        _key = new StreamKey(format, format.Compression.Kind()?.DefaultLevel ?? 0, "", 1);
    }

    public string Name { get; }

    /// <summary>Whether frames depend on those before.</summary>
    public bool HasKeyframes => _key.Format.HasKeyframes;

    /// <summary>Receives every payload of the last round; null: not used.</summary>
    public Action<bool, ReadOnlySpan<byte>>? Payload { get; set; }

    /// <summary>Managed bytes that encoding allocated in the last round, after its first ten seconds.</summary>
    public long AllocatedBytes { get; private set; }

    /// <summary>Starts a round: a new stream.</summary>
    public void Begin()
    {
        (_encoder as IDisposable)?.Dispose();
        _encoder = _key.CreateEncoder();
        _rounds.Add([]);
        (_bytes, _keyframeBytes, _keyframes, _frames, _largest, AllocatedBytes) = (0, 0, 0, 0, 0, 0);
    }

    /// <summary>Encodes the next frame.</summary>
    /// <param name="observation">Serialized <c>ResponseObservation</c>.</param>
    /// <param name="mustBeKeyframe">Whether a keyframe is due.</param>
    /// <returns>Whether it has become one.</returns>
    public bool Encode(ReadOnlySpan<byte> observation, bool mustBeKeyframe)
    {
        if (_encoder is null)
        {
            Count(observation.Length, isKeyframe: true);
            return true;
        }
        var payload = SharedBuffer.Rent(_largest);
        try
        {
            var allocated = GC.GetAllocatedBytesForCurrentThread();
            var start = Stopwatch.GetTimestamp();
            var isKeyframe = _encoder.Encode(observation, mustBeKeyframe, payload).IsKeyframe;
            var ticks = Stopwatch.GetTimestamp() - start;
            if (_frames > StreamCodec.KeyframeInterval) AllocatedBytes += GC.GetAllocatedBytesForCurrentThread() - allocated;
            _rounds[^1].Add(ticks * MatchClock.NsPerTick);
            Count(payload.Span.Length, isKeyframe);
            Payload?.Invoke(isKeyframe, payload.Span);
            return isKeyframe;
        }
        finally
        {
            payload.Release();
        }
    }

    /// <summary>What the last round came to; times over all rounds, without the first, which warms up.</summary>
    public StreamFigures ToFigures()
    {
        var measured = _rounds.Count > 1 ? _rounds[1..] : _rounds;
        var statistics = Statistics.Of(measured);
        return new StreamFigures
        {
            BytesPerFrame = (double)_bytes / _frames,
            LargestFrame = _largest,
            Keyframes = HasKeyframes ? _keyframes : 0,
            KeyframeBytes = HasKeyframes ? (double)_keyframeBytes / _keyframes : 0,
            EncodeNs = statistics is null ? null : new Dictionary<string, double>
            {
                ["mean"] = measured.SelectMany(round => round).Average(),
                ["trimmed_mean"] = statistics.TrimmedMean,
                ["p50"] = statistics.Percentile(50),
                ["p99"] = statistics.Percentile(99),
                ["max"] = statistics.Max,
            },
            EncodeNsRounds = [.. measured.Where(round => round.Count > 0).Select(round => round.Average())],
            AllocatedBytesPerFrame = _frames > StreamCodec.KeyframeInterval
                ? (double)AllocatedBytes / (_frames - StreamCodec.KeyframeInterval)
                : 0,
        };
    }

    public void Dispose() => (_encoder as IDisposable)?.Dispose();

    private void Count(int bytes, bool isKeyframe)
    {
        _frames++;
        _bytes += bytes;
        _largest = Math.Max(_largest, bytes);
        if (!isKeyframe) return;
        _keyframes++;
        _keyframeBytes += bytes;
    }
}
