using System.Buffers;
using Abathur.Sync.Hub;
using Abathur.Sync.Transports.Framing;

namespace Abathur.Sync.Tests.Hub;

/// <summary>Takes a subscription's frames as they would travel, and decodes them as a receiver must: in order, with a decoder that starts
/// again at each keyframe.</summary>
internal sealed class StreamReader(Subscription subscription, V1.Compression compression) : IDisposable
{
    private readonly StreamDecoder _decoder = StreamDecoder.For(compression);
    private bool _hasKeyframe;

    public Subscription Subscription => subscription;

    /// <summary>Every frame taken, with what its payload decodes to.</summary>
    public List<(V1.Frame Frame, byte[] Plain)> Taken { get; } = [];

    public List<uint> Loops => [.. Taken.Select(taken => taken.Frame.GameLoop)];

    public V1.Frame Last => Taken[^1].Frame;

    /// <summary>Takes all that is there; true if there was something.</summary>
    public bool TakeAll()
    {
        var before = Taken.Count;
        while (TakeOne())
        {
        }
        return Taken.Count > before;
    }

    /// <summary>Waits for the next frame and takes it.</summary>
    public async Task<V1.Frame> NextAsync()
    {
        while (!TakeOne())
        {
            Assert.Null(subscription.End);
            await subscription.WaitAsync().AsTask().WaitAsync(TimeSpan.FromSeconds(20));
        }
        return Last;
    }

    public bool TakeOne()
    {
        if (!subscription.TryTake(out var encoded, out var missed)) return false;
        var output = new ArrayBufferWriter<byte>();
        ProtoFraming.WriteFrame(output, encoded, missed);
        Assert.Equal(output.WrittenCount, ProtoFraming.MeasureFrame(encoded, missed));
        encoded.Release();
        var frame = V1.Frame.Parser.ParseFrom(output.WrittenSpan);
        if (frame.Keyframe) _decoder.Restart();
        _hasKeyframe |= frame.Keyframe;
        Assert.True(_hasKeyframe);
        foreach (var earlier in frame.Earlier) _decoder.Decode(earlier.Span);
        var plain = _decoder.Decode(frame.Data.Span);
        Assert.Equal((int)frame.PlainBytes, plain.Length);
        Taken.Add((frame, plain));
        return true;
    }

    public void Dispose()
    {
        subscription.Dispose();
        _decoder.Dispose();
    }
}
