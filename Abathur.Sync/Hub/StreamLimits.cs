namespace Abathur.Sync.Hub;

/// <summary>Limits on the streams that need encoding, each of which costs time for every frame.</summary>
internal static class StreamLimits
{
    /// <summary>Why a subscriber cannot have a new stream; null if it is allowed.</summary>
    /// <param name="streams">All existing streams.</param>
    /// <param name="key">The new one.</param>
    /// <param name="options">Its first subscriber.</param>
    /// <param name="limits">The limits.</param>
    public static string? Problem(FrameStream[] streams, StreamKey key, SubscriptionOptions options, HubOptions limits)
    {
        if (!key.NeedsEncoder) return null;
        return Problem(
            streams, options, static _ => true, "combinations of encoding, compression, fields and game loops", limits.MaxEncodedStreams,
            limits.MaxEncodedStreamsPerConnection)
            ?? (key.IsSlow ? Problem(
                streams, options, static key => key.IsSlow, "slow compression levels", limits.MaxSlowStreams,
                limits.MaxSlowStreamsPerConnection) : null);
    }

    private static string? Problem(
        FrameStream[] streams, SubscriptionOptions options, Func<StreamKey, bool> counts, string what, int most, int mostPerConnection)
    {
        // Clients with a watch token cannot use the reserved places.
        if (!options.MayHoldUp) most -= most / 4;
        var alike = streams.Where(stream => stream.Key.NeedsEncoder && counts(stream.Key)).ToList();
        if (alike.Count >= most) return $"{alike.Count} {what} are already in use: subscribe to one of them";
        // All clients of a Unix domain socket have one address.
        var own = options.Peer == SubscriptionOptions.UnixPeer
            ? 0
            : alike.Count(stream => Array.Exists(stream.Subscriptions, each => each.Options.Peer == options.Peer));
        return own >= mostPerConnection ? $"this connection has {own} {what}, which is the limit: close one of them" : null;
    }
}
