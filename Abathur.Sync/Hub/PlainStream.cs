using Abathur.Sync.Frames;

namespace Abathur.Sync.Hub;

/// <summary>The observations as they came from the source: no encoding, so the publisher offers them.</summary>
internal sealed class PlainStream(StreamKey key, StreamContext context) : FrameStream(key, context)
{
    /// <inheritdoc/>
    public override ValueTask WaitForRoomAsync(long since) => WaitForReadersAsync(since);

    /// <summary>Offers the newest frame to a subscriber that begins with it.</summary>
    protected override void Welcome(Subscription subscription)
    {
        if (!subscription.Options.BeginsWithNewest || Context.RetainNewest() is not { } newest) return;
        var plain = EncodedFrame.Plain(newest);
        subscription.OfferNewest(plain);
        plain.Release();
        newest.Release();
    }

    /// <inheritdoc/>
    protected override void Take(SharedFrame frame)
    {
        var plain = EncodedFrame.Plain(frame);
        // A publisher that may wait for readers can also write for the first lossless ones.
        OfferToAll(plain, default, Context.SourceWaits ? ServedAtOnce : 0);
        plain.Release();
    }

    /// <inheritdoc/>
    protected override void End(SubscriptionEnd end) => EndAll(end);
}
