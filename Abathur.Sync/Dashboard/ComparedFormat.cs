using Abathur.Sync.Frames;
using Abathur.Sync.Frames.Encodings;
using Abathur.Sync.V1;

namespace Abathur.Sync.Dashboard;

/// <summary>One encoding and compression, measured as a stream of its own. Used by one task at a time.</summary>
internal sealed class ComparedFormat : IDisposable
{
    private readonly PayloadFormat _format;
    private readonly IFrameEncoder? _encoder;
    private readonly int[] _sizes;
    private long _sum;
    private int _count;
    private int _next;
    private bool _isBroken;

    /// <param name="format">What is measured.</param>
    /// <param name="windowFrames">Frames that the mean covers: the keyframe interval.</param>
    public ComparedFormat(PayloadFormat format, int windowFrames)
    {
        _format = format;
        _encoder = CreateEncoder(format);
        _sizes = new int[windowFrames];
    }

    /// <summary>All formats that are available on this machine.</summary>
    public static IReadOnlyList<PayloadFormat> All { get; } =
    [
        .. from encoding in new[] { Encoding.Proto, Encoding.Json, Encoding.Columns }
           from compression in Enum.GetValues<V1.Compression>()
           where compression.Kind() is not { IsAvailable: false }
           select new PayloadFormat(encoding, compression),
    ];

    public PayloadFormat Format => _format;

    /// <summary>Mean size in bytes of the last frames, as a stream carries them; null before the first.</summary>
    public double? MeanBytes
    {
        get
        {
            lock (_sizes) return _count == 0 ? null : (double)_sum / _count;
        }
    }

    /// <summary>Size in bytes of a frame without the frames before it. Throws <see cref="InvalidDataException"/> if it cannot be
    /// encoded.</summary>
    public static int MeasureAlone(PayloadFormat format, ReadOnlySpan<byte> observation)
    {
        var encoder = CreateEncoder(format);
        using (encoder as IDisposable) return Measure(encoder, observation, mustBeKeyframe: true);
    }

    /// <summary>Measures the next frame of the stream.</summary>
    /// <param name="observation">The message.</param>
    /// <param name="isKeyframeDue">Whether the stream starts again here.</param>
    public void Add(ReadOnlySpan<byte> observation, bool isKeyframeDue)
    {
        try
        {
            var bytes = Measure(_encoder, observation, isKeyframeDue || _isBroken);
            _isBroken = false;
            lock (_sizes)
            {
                _sum += bytes - (_count == _sizes.Length ? _sizes[_next] : 0);
                _sizes[_next] = bytes;
                _next = (_next + 1) % _sizes.Length;
                _count = Math.Min(_count + 1, _sizes.Length);
            }
        }
        catch (InvalidDataException)
        {
            // The encoding cannot carry this frame. Its subscribers get an error; here the format is omitted.
            _isBroken = true;
        }
    }

    public void Dispose() => (_encoder as IDisposable)?.Dispose();

    private static int Measure(IFrameEncoder? encoder, ReadOnlySpan<byte> observation, bool mustBeKeyframe)
    {
        if (encoder is null) return observation.Length;
        var payload = SharedBuffer.Rent(observation.Length);
        try
        {
            encoder.Encode(observation, mustBeKeyframe, payload);
            return payload.Memory.Length;
        }
        finally
        {
            payload.Release();
        }
    }

    private static IFrameEncoder? CreateEncoder(PayloadFormat format) =>
        FrameEncoders.Create(format, format.Compression.Kind()?.DefaultLevel ?? 0, "");
}
