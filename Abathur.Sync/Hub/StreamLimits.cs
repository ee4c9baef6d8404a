namespace Abathur.Sync.Hub;

/// <summary>Limits on what needs an encoder, which costs time for every frame: streams, and readers of the history, each with its
/// own.</summary>
internal static class StreamLimits
{
    /// <summary>Why a subscriber cannot have a new encoder; null if it is allowed.</summary>
    /// <param name="existing">All streams and readers of the history, with their subscribers.</param>
    /// <param name="key">What the new one is for.</param>
    /// <param name="options">Its first subscriber.</param>
    /// <param name="limits">The limits.</param>
    public static string? Problem(
        IEnumerable<(StreamKey Key, Subscription[] Readers)> existing, StreamKey key, SubscriptionOptions options, HubOptions limits)
    {
        if (!key.NeedsEncoder) return null;
        var encoders = existing.Where(each => each.Key.NeedsEncoder).ToList();
        return Problem(
            encoders, options, static _ => true, "combinations of encoding, compression, fields and game loops", limits.MaxEncodedStreams,
            limits.MaxEncodedStreamsPerConnection)
            ?? (key.IsSlow ? Problem(
                encoders, options, static key => key.IsSlow, "slow compression levels", limits.MaxSlowStreams,
                limits.MaxSlowStreamsPerConnection) : null);
    }

    private static string? Problem(
        List<(StreamKey Key, Subscription[] Readers)> encoders, SubscriptionOptions options, Func<StreamKey, bool> counts, string what,
        int most, int mostPerConnection)
    {
        // Clients with a watch token cannot use the reserved places.
        if (!options.MayHoldUp) most -= most / 4;
        var alike = encoders.Where(each => counts(each.Key)).ToList();
        if (alike.Count >= most) return $"{alike.Count} {what} are already in use: subscribe to one of them";
        // All clients of a Unix domain socket have one address.
        var own = options.Peer == SubscriptionOptions.UnixPeer
            ? 0
            : alike.Count(encoder => Array.Exists(encoder.Readers, each => each.Options.Peer == options.Peer));
        return own >= mostPerConnection ? $"this connection has {own} {what}, which is the limit: close one of them" : null;
    }
}
