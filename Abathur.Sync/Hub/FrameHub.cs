using System.Runtime.CompilerServices;
using Abathur.Sync.Frames;
using Abathur.Sync.Hub.Scheduling;
using Abathur.Sync.V1;

namespace Abathur.Sync.Hub;

/// <summary>
/// Distributes the frames of one match to its subscribers. Publishing costs the same whether readers keep up or not: each
/// subscription has a bounded queue, and its policy defines what happens when the queue is full.
/// </summary>
internal sealed class FrameHub
{
    /// <summary>How long readers with a watch token may delay each frame of a playback at unlimited rate.</summary>
    private static readonly TimeSpan UnpacedGrace = TimeSpan.FromMilliseconds(100);

    private readonly Lock _gate;
    private readonly HubShare _share;
    private readonly HubLimits _limits;
    private readonly bool _sourceWaits;
    private readonly TimeProvider _clock;
    private readonly EventLog _events;
    private readonly StreamContext _context;
    private volatile FrameStream[] _streams = [];
    private volatile Subscription[] _catchingUp = [];
    private TaskCompletionSource _subscribersChanged = NewSource();
    private SubscriptionEnd? _end;
    private ulong _sequence;
    private FrameStream[] _streamsOfNewest = [];
    private SharedFrame? _newest;
    private uint _firstGameLoop;
    private uint _newestGameLoop;
    private volatile bool _isClosed;

    /// <param name="share">What it shares with the hubs of other matches.</param>
    /// <param name="sourceWaits">Whether the source can wait for lossless readers. If not, such a subscription ends when its queue is
    /// full.</param>
    /// <param name="events">What happened in the frames, for subscribers that do not get each.</param>
    public FrameHub(HubShare share, bool sourceWaits, EventLog events)
    {
        (_share, _sourceWaits, _events) = (share, sourceWaits, events);
        (_limits, _gate, _clock) = (share.Limits, share.Limits.Gate, share.Limits.Clock);
        _context = new StreamContext(share, sourceWaits, EncoderThreads.Shared, RetainNewest);
        share.Add(this);
    }

    /// <summary>Game loop of the newest frame; 0 before the first.</summary>
    public uint NewestGameLoop => _newestGameLoop;

    /// <summary>Sequence of the newest frame; 0 before the first.</summary>
    public ulong Sequence => Volatile.Read(ref _sequence);

    /// <summary>All frames, as those that were not sent.</summary>
    public DroppedFrames AllFrames => new(Sequence, _firstGameLoop, _newestGameLoop);

    /// <summary>Frames that the current subscribers have read, all together.</summary>
    public ulong FramesSent => Subscriptions.Aggregate(0UL, (sum, each) => sum + each.FramesSent);

    /// <summary>Its subscriptions.</summary>
    public IEnumerable<Subscription> Subscriptions => _streams.SelectMany(stream => stream.Subscriptions).Concat(_catchingUp);

    /// <summary>Subscriptions that read earlier frames.</summary>
    public int ReadingEarlier => _catchingUp.Length;

    /// <summary>Adds a subscriber. It gets the next frame that is published.</summary>
    /// <param name="options">The subscription.</param>
    /// <param name="problem">Why it is refused; empty if it is accepted.</param>
    /// <param name="earlier">Opens the frames that it gets before; null: none.</param>
    /// <returns>Null if it is refused.</returns>
    public Subscription? Subscribe(
        SubscriptionOptions options, out string problem, Func<Subscription, IEarlierFrames>? earlier = null)
    {
        var subscription = Add(options, earlier, out problem);
        if (subscription is not null) _share.TellJoined(subscription);
        return subscription;
    }

    /// <summary>Adds the subscription with which the reader of another match goes on: within the limits, because that one is.</summary>
    /// <param name="former">The one that is read.</param>
    /// <param name="missed">Frames that its reader misses in between.</param>
    public Subscription SubscribeNext(Subscription former, in DroppedFrames missed)
    {
        var options = former.Options with { Start = default, BeginsWithNewest = false };
        var key = StreamKey.For(options);
        lock (_gate)
        {
            var subscription = new Subscription(former.Id, options, _sequence + 1, _clock, Remove, _events);
            subscription.WaitForReader(missed);
            if (_end is { } end) subscription.Finish(end);
            else (Array.Find(_streams, each => each.Key == key) ?? AddStream(key)).Add(subscription);
            SubscribersChanged();
            return subscription;
        }
    }

    private Subscription? Add(SubscriptionOptions options, Func<Subscription, IEarlierFrames>? earlier, out string problem)
    {
        var key = StreamKey.For(options);
        lock (_gate)
        {
            var stream = Array.Find(_streams, each => each.Key == key);
            var needsStream = earlier is not null || (stream is null && _end is null);
            problem = _limits.Problem(options, key, needsStream, readsEarlier: earlier is not null) ?? "";
            if (problem.Length > 0) return null;
            // A match that is over can be read again.
            if (_isClosed) _share.Add(this);
            var subscription = new Subscription(_share.Ids.Next(), options, _sequence + 1, _clock, Remove, _events);
            if (_end is { } end) subscription.Finish(end);
            if (earlier is not null)
            {
                subscription.Earlier = earlier(subscription);
                _catchingUp = [.. _catchingUp, subscription];
            }
            else if (_end is null)
            {
                (stream ?? AddStream(key)).Add(subscription);
            }
            else
            {
                return subscription;
            }
            SubscribersChanged();
            return subscription;
        }
    }

    /// <summary>What may have an encoder: streams, and readers of earlier frames.</summary>
    /// <param name="except">A reader that does not count.</param>
    public IEnumerable<(StreamKey Key, Subscription[] Readers)> Encoders(Subscription? except) =>
        _streams.Select(stream => (stream.Key, stream.Subscriptions))
            .Where(each => !Array.TrueForAll(each.Subscriptions, reader => reader.Waits))
            .Concat(_catchingUp.Where(reader => reader != except).Select(reader => (StreamKey.For(reader.Options), new[] { reader })));

    /// <summary>The status of each subscription that is read.</summary>
    public IEnumerable<SubscriberStatus> Statuses() =>
        Subscriptions.Where(each => !each.Waits).Select(each => each.Status(_newestGameLoop));

    private FrameStream AddStream(StreamKey key)
    {
        var stream = FrameStream.Create(key, _context);
        // Streams without an encoder are served before the others.
        _streams = stream is PlainStream ? [stream, .. _streams] : [.. _streams, stream];
        return stream;
    }

    /// <summary>Lets a subscription that has got earlier frames get those that are published from now on. Null if there is no place for it,
    /// and it has ended.</summary>
    public Following? Follow(Subscription subscription)
    {
        var key = StreamKey.For(subscription.Options);
        lock (_gate)
        {
            if (_end is not null || subscription.End is not null) return new(_sequence, false);
            var stream = Array.Find(_streams, each => each.Key == key);
            if (stream is null && _limits.EncoderProblem(subscription.Options, key, except: subscription) is { } problem)
            {
                subscription.Finish(new(SubscriptionEndReason.SlowConsumer, problem));
                return null;
            }
            subscription.FollowAfter(_sequence);
            _catchingUp = [.. _catchingUp.Where(each => each != subscription)];
            (stream ?? AddStream(key)).Add(subscription);
            return new(_sequence, true);
        }
    }

    /// <summary>Waits until the next frame can be offered to all lossless subscribers. For a source that can wait.</summary>
    /// <param name="isPaced">Whether frames have due times, so that each wait delays them. If not, readers set the pace.</param>
    [AsyncMethodBuilder(typeof(PoolingAsyncValueTaskMethodBuilder))]
    public async ValueTask WaitForRoomAsync(bool isPaced)
    {
        _limits.HoldUps.Grace = _limits.EncoderHoldUps.Grace = isPaced ? TimeSpan.Zero : UnpacedGrace;
        // One start time for all: the hub waits for all readers at the same time, not in sequence.
        var since = _clock.GetTimestamp();
        foreach (var stream in _streams) await stream.WaitForRoomAsync(since);
    }

    /// <summary>Gives a frame its number. Those who subscribe from now on begin with the next one.</summary>
    /// <param name="frame">The frame.</param>
    /// <param name="matchId">Its match.</param>
    /// <param name="keep">Keeps it for those who begin in the past; called under the lock, so that they miss none.</param>
    public void Number(SharedFrame frame, string matchId, Action<SharedFrame> keep)
    {
        lock (_gate)
        {
            frame.MarkPublished(matchId, _sequence + 1, FrameStamp.Now(_clock));
            _streamsOfNewest = _streams;
            if (_sequence == 0) _firstGameLoop = frame.GameLoop;
            Keep(frame);
            keep(frame);
            // Last: who sees the number sees what is kept, too.
            Volatile.Write(ref _sequence, _sequence + 1);
        }
    }

    /// <summary>Offers the frame that was numbered, whose reference it takes over, to all streams. A source that can wait waits for the
    /// answers of lockstep subscribers.</summary>
    [AsyncMethodBuilder(typeof(PoolingAsyncValueTaskMethodBuilder))]
    public async ValueTask OfferAsync(SharedFrame frame)
    {
        var (sequence, gameLoop, streams) = (frame.Sequence, frame.GameLoop, _streamsOfNewest);
        _newestGameLoop = gameLoop;
        // 6 to 8. Streams, subscriptions, transports.
        foreach (var stream in streams) stream.Offer(frame);
        frame.Release();
        // 9. Answers.
        if (!_sourceWaits) return;
        var offered = _clock.GetTimestamp();
        foreach (var stream in streams)
        {
            if (stream.LastGameLoop == gameLoop) await stream.WaitForAnswersAsync(sequence, offered);
        }
    }

    /// <summary>Says that frames are missing before the next one: it gets the number behind this sequence, nothing is kept from before it,
    /// and the current subscriptions end. Later ones begin behind the gap.</summary>
    /// <param name="sequence">Of the last missing frame.</param>
    /// <param name="end">Why the subscriptions end.</param>
    /// <param name="interrupt">Drops what is kept.</param>
    public void SkipTo(ulong sequence, SubscriptionEnd end, Action interrupt)
    {
        Subscription[] current;
        lock (_gate)
        {
            interrupt();
            Volatile.Write(ref _sequence, sequence);
            current = [.. Subscriptions];
        }
        foreach (var subscription in current) subscription.Finish(end);
    }

    /// <summary>Ends all current and later subscriptions. Completes when each stream has offered its queued frames.</summary>
    public async Task FinishAsync(SubscriptionEnd end)
    {
        FrameStream[] streams;
        lock (_gate)
        {
            _end ??= end;
            streams = _streams;
            Keep(null);
        }
        foreach (var stream in streams) stream.Finish(end);
        foreach (var subscription in _catchingUp) subscription.Finish(end);
        if (end.Reason == SubscriptionEndReason.Stopping) await EndWithoutDelayAsync(streams, end);
        foreach (var stream in streams)
        {
            await stream.Encoding;
            stream.Dispose();
        }
    }

    /// <summary>Disconnects the readers that have not read all until now. New ones get what is kept.</summary>
    public void Abort()
    {
        _isClosed = true;
        // Under the lock, those that are being disposed wait in Remove, or are not among them.
        lock (_gate)
        {
            foreach (var subscription in Subscriptions) subscription.Abort();
        }
        LeaveShare();
    }

    /// <summary>The newest frame, which the caller releases; null before the first and after the end.</summary>
    public SharedFrame? RetainNewest()
    {
        lock (_gate)
        {
            _newest?.Retain();
            return _newest;
        }
    }

    /// <summary>Waits for the encoders, but not for a reader that blocks one: the other subscribers must get the end, too.</summary>
    private async Task EndWithoutDelayAsync(FrameStream[] streams, SubscriptionEnd end)
    {
        var encoding = Task.WhenAll(streams.Select(stream => stream.Encoding));
        if (await Task.WhenAny(encoding, Task.Delay(_limits.Options.StopTimeout, _clock)) == encoding) return;
        foreach (var stream in streams) stream.EndAll(end);
    }

    /// <summary>Completes when the number of subscribers satisfies a condition.</summary>
    public async Task WaitForSubscribersAsync(Func<int, bool> enough, CancellationToken cancellationToken)
    {
        while (true)
        {
            Task changed;
            lock (_gate)
            {
                if (enough(Subscriptions.Count())) return;
                changed = _subscribersChanged.Task;
            }
            await changed.WaitAsync(cancellationToken);
        }
    }

    /// <summary>Makes subscriptions write the pending messages of their outputs.</summary>
    public void Wake(Func<Subscription, bool> which)
    {
        foreach (var subscription in Subscriptions.Where(which)) subscription.Wake();
    }

    private void Remove(Subscription subscription)
    {
        subscription.Earlier?.Dispose();
        lock (_gate)
        {
            _share.Former.Add(subscription.Status(0));
            _catchingUp = [.. _catchingUp.Where(each => each != subscription)];
            foreach (var stream in _streams)
            {
                if (!stream.Subscriptions.Contains(subscription)) continue;
                stream.Remove(subscription);
                if (stream.Subscriptions.Length == 0)
                {
                    stream.Finish(new(SubscriptionEndReason.Closed, "the stream has no subscribers"));
                    _streams = [.. _streams.Where(each => each != stream)];
                    stream.Encoding.ContinueWith(static (_, ended) => ((FrameStream)ended!).Dispose(), stream, TaskScheduler.Default);
                }
            }
            SubscribersChanged();
        }
        LeaveShare();
        if (subscription is { IsHandedOver: false, Waits: false }) _share.TellLeft(subscription);
    }

    /// <summary>Not before its last subscription is in the totals.</summary>
    private void LeaveShare()
    {
        lock (_gate)
        {
            if (_isClosed && !Subscriptions.Any()) _share.Remove(this);
        }
    }

    private void Keep(SharedFrame? newest)
    {
        if (_end is null) newest?.Retain();
        else newest = null;
        _newest?.Release();
        _newest = newest;
    }

    /// <summary>How a subscription follows the frames that are published.</summary>
    /// <param name="LastSequence">Sequence of the last frame before them.</param>
    /// <param name="IsLive">Whether such frames follow; false: the match is over.</param>
    internal readonly record struct Following(ulong LastSequence, bool IsLive);

    private void SubscribersChanged()
    {
        _subscribersChanged.SetResult();
        _subscribersChanged = NewSource();
    }

    private static TaskCompletionSource NewSource() => new(TaskCreationOptions.RunContinuationsAsynchronously);
}
