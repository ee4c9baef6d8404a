using System.Globalization;
using System.Runtime.CompilerServices;
using Abathur.Sync.Frames;
using Abathur.Sync.V1;

namespace Abathur.Sync.Hub;

/// <summary>
/// All subscribers of the same encoding, fields and game loops: each frame is made ready once for all of them
/// (<see cref="PlainStream"/>, <see cref="EncodedStream"/>).
/// </summary>
internal abstract class FrameStream(StreamKey key, StreamContext context) : IDisposable
{
    /// <summary>Lossless readers that are served on the thread that has the frame. With more, the work that their writes cause would lack
    /// that thread.</summary>
    protected const int ServedAtOnce = 2;

    private volatile Subscription[] _subscriptions = [];
    private volatile bool _waitsForReaders;
    private SharedFrame? _excluded;

    /// <summary>What its subscribers have in common.</summary>
    public StreamKey Key { get; } = key;

    public Subscription[] Subscriptions => _subscriptions;

    /// <summary>Game loop of the last frame that the stream took.</summary>
    public uint? LastGameLoop { get; private set; }

    /// <summary>The task that encodes; completes after <see cref="Finish"/>, when all frames were offered.</summary>
    public virtual Task Encoding => Task.CompletedTask;

    /// <summary>What it shares with the other streams.</summary>
    protected StreamContext Context { get; } = context;

    /// <summary>Whether it waits for the queue of a lossless reader.</summary>
    protected bool WaitsForReaders => _waitsForReaders;

    /// <summary>The stream of a key.</summary>
    public static FrameStream Create(StreamKey key, StreamContext context) => key.CreateEncoder() is { } encoder
        ? new EncodedStream(key, encoder, context)
        : new PlainStream(key, context);

    /// <summary>Adds a subscriber. In a stream with keyframes, the next frame is encoded as a keyframe and is its first one.</summary>
    public void Add(Subscription subscription)
    {
        Prepare(subscription);
        _subscriptions = [.. _subscriptions, subscription];
        Welcome(subscription);
    }

    public void Remove(Subscription subscription) => _subscriptions = [.. _subscriptions.Where(each => each != subscription)];

    /// <summary>Waits until the next frame can be offered to all lossless readers.</summary>
    /// <param name="since">Start of the timeout for readers that read nothing.</param>
    public abstract ValueTask WaitForRoomAsync(long since);

    /// <summary>Waits until each lockstep reader has acknowledged this frame.</summary>
    /// <param name="sequence">The frame.</param>
    /// <param name="since">Start of the timeout for all readers.</param>
    [AsyncMethodBuilder(typeof(PoolingAsyncValueTaskMethodBuilder))]
    public async ValueTask WaitForAnswersAsync(ulong sequence, long since)
    {
        foreach (var subscription in _subscriptions)
        {
            if (subscription.Options.Policy == Policy.Lockstep && subscription.FirstSequence <= sequence)
                await subscription.WaitForAnswerAsync(sequence, since, Context.Clock);
        }
    }

    /// <summary>Offers a frame to all subscribers, unless <see cref="StreamKey.EveryGameLoops"/> excludes it. Never waits.</summary>
    public void Offer(SharedFrame frame)
    {
        if (!Wants(frame.GameLoop))
        {
            KeepExcluded(frame);
            return;
        }
        KeepExcluded(null);
        Take(frame);
    }

    /// <summary>Ends all subscriptions after the queued frames have been offered, and the last one even if downsampling has excluded it:
    /// it has the results of the match, or tells what happened since the frame before it.</summary>
    public void Finish(SubscriptionEnd end)
    {
        if (_excluded is { } last) Take(last);
        KeepExcluded(null);
        End(end);
    }

    /// <summary>Ends all subscriptions now: frames queued for the encoder are dropped.</summary>
    public void EndAll(SubscriptionEnd end)
    {
        foreach (var subscription in _subscriptions) subscription.Finish(end);
    }

    public virtual void Dispose() => KeepExcluded(null);

    /// <summary>Called before a subscriber is offered anything.</summary>
    protected virtual void Prepare(Subscription subscription)
    {
    }

    /// <summary>Called when a subscriber was added.</summary>
    protected abstract void Welcome(Subscription subscription);

    /// <summary>Takes a frame for all subscribers. Never waits; retains the frame if it keeps it.</summary>
    protected abstract void Take(SharedFrame frame);

    /// <summary>Ends all subscriptions after the frames that it has.</summary>
    protected abstract void End(SubscriptionEnd end);

    /// <summary>Offers a frame to all subscribers, then schedules the writes: lossless readers first.</summary>
    /// <param name="frame">The frame.</param>
    /// <param name="dropped">Frames that were dropped before it.</param>
    /// <param name="servedHere">Lossless readers that are written for on this thread.</param>
    protected void OfferToAll(EncodedFrame frame, in DroppedFrames dropped, int servedHere)
    {
        var subscriptions = _subscriptions;
        foreach (var subscription in subscriptions)
        {
            if (!subscription.IsLossless || subscription.HasRoom) subscription.Offer(frame, dropped);
            else subscription.Finish(new(
                SubscriptionEndReason.SlowConsumer,
                $"{subscription.Options.BufferFrames} frames are queued, and this source does not wait for readers"));
        }
        foreach (var subscription in subscriptions)
        {
            if (subscription.IsLossless) subscription.WakeToTake(servedHere-- > 0 ? null : Context.Limits.Readers);
        }
        var isOnlyOne = subscriptions.Length == 1 && servedHere > 0;
        foreach (var subscription in subscriptions)
        {
            if (!subscription.IsLossless) subscription.WakeToTake(isOnlyOne ? null : Context.Limits.Readers);
        }
    }

    [AsyncMethodBuilder(typeof(PoolingAsyncValueTaskMethodBuilder))]
    protected async ValueTask WaitForReadersAsync(long since)
    {
        foreach (var subscription in _subscriptions)
        {
            if (subscription.IsLossless && !subscription.HasRoom) await WaitForReaderAsync(subscription, since);
        }
    }

    protected bool HasLossless() => Array.Exists(_subscriptions, subscription => subscription is { IsLossless: true, End: null });

    protected void EndLossless(string message)
    {
        foreach (var subscription in _subscriptions)
        {
            if (subscription.IsLossless) subscription.Finish(new(SubscriptionEndReason.SlowConsumer, message));
        }
    }

    /// <summary>Waits until the queue of a lossless reader has room. Ends its subscription if it reads nothing for too long, or may not
    /// delay the source any longer.</summary>
    private async ValueTask WaitForReaderAsync(Subscription subscription, long since)
    {
        var mayHoldUp = subscription.Options.MayAct;
        var began = Context.Clock.GetTimestamp();
        _waitsForReaders = true;
        while (!subscription.HasRoom)
        {
            var left = Context.Options.StallTimeout - Context.Clock.GetElapsedTime(since);
            var budget = mayHoldUp ? left : Context.Limits.HoldUps.Left(Context.Clock.GetElapsedTime(began));
            if (left > TimeSpan.Zero && budget > TimeSpan.Zero && await subscription.WaitForRoomAsync(left < budget ? left : budget))
                continue;
            if (subscription.HasRoom) break;
            left = Context.Options.StallTimeout - Context.Clock.GetElapsedTime(since);
            subscription.Finish(left <= TimeSpan.Zero
                ? new(
                    SubscriptionEndReason.SlowConsumer,
                    $"no frame was read for {Context.Options.StallTimeout.TotalSeconds:0.###} s with "
                        + $"{subscription.Options.BufferFrames} queued")
                : new(SubscriptionEndReason.SlowConsumer, HeldUpTooLong));
        }
        _waitsForReaders = false;
        if (!mayHoldUp) Context.Limits.HoldUps.Spend(Context.Clock.GetElapsedTime(began));
    }

    private string HeldUpTooLong =>
        $"readers with a watch token have delayed the playback for {Seconds(Context.Limits.HoldUps)} s in a minute: read faster, use "
            + "policy latest, or a token for acting";

    protected static string Seconds(HoldUpBudget budget) => budget.PerMinute.TotalSeconds.ToString("0.###", CultureInfo.InvariantCulture);

    /// <summary>Keeps the newest frame that downsampling has excluded, until another one is sent.</summary>
    private void KeepExcluded(SharedFrame? frame)
    {
        frame?.Retain();
        Interlocked.Exchange(ref _excluded, frame)?.Release();
    }

    private bool Wants(uint gameLoop)
    {
        // A game loop that goes back is a seek or a new round, and restarts the count.
        if (LastGameLoop is { } last && gameLoop >= last && gameLoop - last < Key.EveryGameLoops && Key.EveryGameLoops > 1) return false;
        LastGameLoop = gameLoop;
        return true;
    }
}
