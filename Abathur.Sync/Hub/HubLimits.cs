using Abathur.Sync.Hub.Scheduling;

namespace Abathur.Sync.Hub;

/// <summary>What all subscriptions of a daemon may have together, whichever matches they read. A quarter is reserved for clients that may
/// act. What needs an encoder (a stream, and a reader of the history, which has its own) costs time for every frame.</summary>
internal sealed class HubLimits
{
    private volatile HubShare[] _shares = [];

    /// <param name="options">How much they may have.</param>
    /// <param name="clock">Clock of stamps and timeouts.</param>
    public HubLimits(HubOptions options, TimeProvider clock)
    {
        (Options, Clock) = (options, clock);
        HoldUps = new HoldUpBudget(options.WatchersHoldUp, clock);
        EncoderHoldUps = new HoldUpBudget(options.WatchersEncodersHoldUp, clock);
    }

    /// <summary>How much they may have.</summary>
    public HubOptions Options { get; }

    /// <summary>Clock of stamps and timeouts.</summary>
    public TimeProvider Clock { get; }

    /// <summary>Guards the subscriptions of all hubs, and their totals.</summary>
    public Lock Gate { get; } = new();

    /// <summary>Schedules the writes of readers.</summary>
    public SubscriberScheduler Readers { get; } = new();

    /// <summary>How long readers with a watch token may delay a source.</summary>
    public HoldUpBudget HoldUps { get; }

    /// <summary>How long the encoders of such readers may.</summary>
    public HoldUpBudget EncoderHoldUps { get; }

    /// <summary>Adds hubs, whose subscriptions count.</summary>
    public void Add(HubShare share)
    {
        lock (Gate) _shares = [.. _shares, share];
    }

    /// <summary>Why a subscriber cannot be added; null if it can. Under the gate. The text does not say what others have: that is not for
    /// those who see matches later.</summary>
    /// <param name="options">The subscription.</param>
    /// <param name="key">Its stream.</param>
    /// <param name="needsStream">Whether it needs a stream, or an encoder, of its own.</param>
    /// <param name="readsEarlier">Whether it reads earlier frames first.</param>
    public string? Problem(SubscriptionOptions options, StreamKey key, bool needsStream, bool readsEarlier)
    {
        if (_shares.Sum(share => share.Subscriptions.Count(each => !each.Waits)) >= Most(Options.MaxSubscriptions, options))
            return "the limit of subscriptions is reached: try again later";
        if (needsStream && EncoderProblem(options, key) is { } problem) return problem;
        return readsEarlier && _shares.Sum(share => share.ReadingEarlier) >= Most(Options.MaxHistoryReaders, options)
            ? "the limit of subscriptions that read the history is reached: try again later"
            : null;
    }

    /// <summary>Why a subscriber cannot have a stream, or an encoder, of its own; null if it can. Under the gate.</summary>
    /// <param name="options">The subscription.</param>
    /// <param name="key">Its stream.</param>
    /// <param name="except">A subscription whose own encoder does not count; null: all count.</param>
    public string? EncoderProblem(SubscriptionOptions options, StreamKey key, Subscription? except = null)
    {
        if (!key.NeedsEncoder) return null;
        var encoders = _shares.SelectMany(share => share.Encoders(except)).Where(each => each.Key.NeedsEncoder).ToList();
        return EncoderProblem(
            encoders, options, "combinations of encoding, compression, fields and game loops", Options.MaxEncodedStreams,
            Options.MaxEncodedStreamsPerConnection)
            ?? (key.IsSlow
                ? EncoderProblem(
                    encoders.FindAll(each => each.Key.IsSlow), options, "slow compression levels", Options.MaxSlowStreams,
                    Options.MaxSlowStreamsPerConnection)
                : null);
    }

    private static string? EncoderProblem(
        List<(StreamKey Key, Subscription[] Readers)> encoders, SubscriptionOptions options, string what, int most, int mostPerConnection)
    {
        if (encoders.Count >= Most(most, options)) return $"the limit of {what} is reached: subscribe to one that is in use";
        // All clients of a Unix domain socket have one address.
        var own = options.Peer == SubscriptionOptions.UnixPeer
            ? 0
            : encoders.Count(encoder => Array.Exists(encoder.Readers, each => each.Options.Peer == options.Peer));
        return own >= mostPerConnection ? $"this connection has {own} {what}, which is the limit: close one of them" : null;
    }

    /// <summary>How many there may be for this client to have one more.</summary>
    private static int Most(int limit, SubscriptionOptions options) => options.MayAct ? limit : limit - (limit / 4);
}
