using System.Runtime.CompilerServices;
using Abathur.Sync.Drawing;
using Abathur.Sync.Frames;
using Abathur.Sync.History;
using Abathur.Sync.Plots;
using Abathur.Sync.Scheduling;
using Abathur.Sync.V1;

namespace Abathur.Sync.Hub;

/// <summary>
/// Distributes the frames of one source to subscribers. Publishing costs the same whether readers keep up or not: each
/// subscription has a bounded queue, and its policy defines what happens when the queue is full.
/// </summary>
public sealed class FrameHub : IDisposable
{
    /// <summary>How long readers with a watch token may delay each frame of a playback at unlimited rate.</summary>
    private static readonly TimeSpan UnpacedGrace = TimeSpan.FromMilliseconds(100);

    private readonly Lock _gate = new();
    private readonly HubOptions _options;
    private readonly TimeProvider _clock;
    private readonly bool _sourceWaits;
    private readonly TaskCompletionSource<Match?> _began = new(TaskCreationOptions.RunContinuationsAsynchronously);
    private volatile Match? _match;
    private volatile FrameStream[] _streams = [];
    private TaskCompletionSource _subscribersChanged = NewSource();
    private SubscriptionEnd? _end;
    private ulong _sequence;
    private long _beganNs;
    private ulong _bytesPublished;
    private readonly SubscriptionTotals _totals = new();
    private uint _newestGameLoop;
    private SharedFrame? _newest;
    private readonly RateMeter _rate;
    private readonly SubscriberScheduler _readers = new();
    private readonly HoldUpBudget _holdUps;
    private readonly HoldUpBudget _encoderHoldUps;
    private readonly EventLog _events = new();
    private readonly MatchTimeline _timeline = new();
    private long _drawingsMarked;
    private readonly MatchHistory? _history;
    private volatile Subscription[] _catchingUp = [];

    /// <param name="options">Limits.</param>
    /// <param name="sourceWaits">
    /// Whether the source can wait for lossless readers (a playback can, a game cannot). If it cannot, the
    /// subscription of such a reader ends when its queue is full.
    /// </param>
    /// <param name="clock">Clock of stamps and timeouts.</param>
    public FrameHub(HubOptions options, bool sourceWaits, TimeProvider clock)
    {
        _options = options;
        _sourceWaits = sourceWaits;
        _clock = clock;
        _rate = new RateMeter(clock);
        _holdUps = new HoldUpBudget(options.WatchersHoldUp, clock);
        _encoderHoldUps = new HoldUpBudget(options.WatchersEncodersHoldUp, clock);
        Drawings.Changed += WakeReadersOfDrawings;
        if (options.HistoryBytes == 0) return;
        _history = new MatchHistory(options.HistoryBytes, EncoderThreads.Shared, clock);
    }

    /// <summary>The drawings of agents.</summary>
    public DrawingBoard Drawings { get; } = new();

    /// <summary>The numbers of agents over time.</summary>
    public PlotBoard Plots { get; } = new();

    /// <summary>Numbers the subscriptions. Default: from 1.</summary>
    internal SubscriptionIds Ids { get; init; } = new();

    /// <summary>Called when the match has begun, and after each frame, when the drawings are those of its game loop, on the task that
    /// publishes. Must neither block nor throw.</summary>
    internal Action? Advanced { get; set; }

    /// <summary>Called with the encoding time of each frame, on the task of its stream. Must neither block nor throw.</summary>
    public Action<PayloadFormat, TimeSpan>? Encoded { get; set; }

    /// <summary>Raised for each new subscription.</summary>
    public event Action<Subscription>? Joined;

    /// <summary>Raised for each subscription that has ended.</summary>
    public event Action<Subscription>? Left;

    /// <summary>Game loop of the newest frame; 0 before the first.</summary>
    public uint NewestGameLoop => _newestGameLoop;

    /// <summary>The constant data of the match; null before the match has begun.</summary>
    public Match? Match => _match;

    /// <summary>When the match has begun, on the monotonic clock; 0 before.</summary>
    internal long BeganNs => Volatile.Read(ref _beganNs);

    /// <summary>The kept frames; null if none are kept.</summary>
    internal MatchHistory? History => _history;

    /// <summary>Sequence of the newest frame; 0 before the first.</summary>
    public ulong Sequence => _sequence;

    /// <summary>Frames that the current subscribers have read, all together.</summary>
    public ulong FramesSent => Subscriptions.Aggregate(0UL, (sum, each) => sum + each.FramesSent);

    /// <summary>Waits until the next frame can be kept. For a source that can wait; one task waits at a time.</summary>
    public ValueTask WaitForHistoryAsync() => _history?.WaitForRoomAsync() ?? default;

    /// <summary>Some numbers of the match, one row a game second, after a game loop (0: all), and what happened when.</summary>
    /// <param name="afterGameLoop">The game loop.</param>
    /// <param name="requireRoom">Is called with the bytes of the values before they are copied; throws if they are too many.</param>
    public Timeline Timeline(uint afterGameLoop, Action<long>? requireRoom = null) => _timeline.After(afterGameLoop, requireRoom);

    /// <summary>Whether frames are kept for subscribers that begin in the past.</summary>
    public bool KeepsHistory => _history is not null;

    /// <summary>First and last game loop that are kept; null if none is.</summary>
    public (uint First, uint Last)? HistoryRange => _history?.Range;

    /// <summary>Whether frames were published, and none of them is kept.</summary>
    public bool KeepsNothing
    {
        get
        {
            // A frame that is being published counts as published only with its place in what is kept.
            lock (_gate) return _sequence > 0 && HistoryRange is null;
        }
    }

    private IEnumerable<Subscription> Subscriptions => _streams.SelectMany(stream => stream.Subscriptions).Concat(_catchingUp);

    /// <summary>Sets the match. Called once, before its first frame.</summary>
    public void Begin(Match match)
    {
        if (_match is not null) throw new InvalidOperationException("the match has begun already");
        Drawings.Advance(match.FirstGameLoop);
        Plots.Advance(match.FirstGameLoop);
        _timeline.Begin(match.GameData);
        Volatile.Write(ref _beganNs, FrameStamp.MonotonicNow(_clock));
        _match = match;
        _began.TrySetResult(match);
        Advanced?.Invoke();
    }

    /// <summary>The match, as soon as it is set; null if the hub is finished without one.</summary>
    public Task<Match?> WaitForMatchAsync(CancellationToken cancellation) => _began.Task.WaitAsync(cancellation);

    /// <summary>Adds a subscriber. It gets the next frame that is published. Null if there are too many.</summary>
    public Subscription? Subscribe(SubscriptionOptions options) => Subscribe(options, out _);

    /// <summary>The same, with the reason for a refusal.</summary>
    /// <param name="options">The subscription.</param>
    /// <param name="problem">Why it is refused; empty if it is accepted.</param>
    public Subscription? Subscribe(SubscriptionOptions options, out string problem)
    {
        var subscription = Add(options, out problem);
        if (subscription is not null) Joined?.Invoke(subscription);
        return subscription;
    }

    private Subscription? Add(SubscriptionOptions options, out string problem)
    {
        var key = StreamKey.For(options);
        lock (_gate)
        {
            problem = Subscriptions.Count() >= _options.MaxSubscriptions
                ? $"there are {_options.MaxSubscriptions} subscriptions, which is the limit"
                : "";
            if (problem.Length > 0) return null;
            var stream = Array.Find(_streams, each => each.Key == key);
            if (options.Start.IsInHistory || (stream is null && _end is null))
                problem = StreamLimits.Problem(Encoders(_catchingUp), key, options, _options) ?? "";
            if (problem.Length == 0 && options.Start.IsInHistory) problem = HistoryReadersProblem(options) ?? "";
            if (problem.Length > 0) return null;
            if (options.Start.IsInHistory) return AddCatchingUp(options, key);
            var subscription = new Subscription(Ids.Next(), options, _sequence + 1, _clock, Remove, _events);
            if (_end is { } end)
            {
                subscription.Finish(end);
                return subscription;
            }
            (stream ?? AddStream(key)).Add(subscription);
            SubscribersChanged();
            return subscription;
        }
    }

    private IEnumerable<(StreamKey Key, Subscription[] Readers)> Encoders(IEnumerable<Subscription> catchingUp) =>
        _streams.Select(stream => (stream.Key, stream.Subscriptions))
            .Concat(catchingUp.Select(reader => (StreamKey.For(reader.Options), new[] { reader })));

    private FrameStream AddStream(StreamKey key)
    {
        var stream = new FrameStream(
            key, _options, _sourceWaits, _clock, _readers, EncoderThreads.Shared, _holdUps, _encoderHoldUps, RetainNewest)
        {
            Encoded = duration => Encoded?.Invoke(key.Format, duration),
        };
        // Streams without an encoder are served before the others.
        _streams = stream.Encoding.IsCompleted ? [stream, .. _streams] : [.. _streams, stream];
        return stream;
    }

    /// <summary>Why no other subscriber can read the history; null if one can.</summary>
    private string? HistoryReadersProblem(SubscriptionOptions options)
    {
        var most = _options.MaxHistoryReaders - (options.MayHoldUp ? 0 : _options.MaxHistoryReaders / 4);
        return _catchingUp.Length < most ? null : $"{_catchingUp.Length} subscriptions are reading the history: try again later";
    }

    /// <summary>Adds a subscription that begins with the history. It joins its stream when it has caught up.</summary>
    private Subscription AddCatchingUp(SubscriptionOptions options, StreamKey key)
    {
        var reader = new HistoryReader(
            _history ?? throw new InvalidOperationException("no history is kept"),
            new(
                _match?.MatchId ?? "", options.Start.GameLoop, options.Start.MayBeNext, options.Format, options.CompressionLevel,
                key.FieldMask, options.EveryGameLoops),
            _clock);
        Subscription subscription = null!;
        subscription = new Subscription(Ids.Next(), options, _sequence + 1, _clock, Removed, _events)
        {
            CatchUp = new CatchUp(reader, () => Attach(subscription, key), _clock),
        };
        if (_end is { } end) subscription.Finish(end);
        _catchingUp = [.. _catchingUp, subscription];
        SubscribersChanged();
        return subscription;

        void Removed(Subscription gone)
        {
            reader.Dispose();
            Remove(gone);
        }
    }

    /// <summary>Lets a subscription that has caught up get the frames that are published from now on. Null if there is no place for it, and
    /// it has ended.</summary>
    private CatchUp.Attachment? Attach(Subscription subscription, StreamKey key)
    {
        lock (_gate)
        {
            if (_end is not null || subscription.End is not null) return new(_sequence, false);
            var stream = Array.Find(_streams, each => each.Key == key);
            var others = _catchingUp.Where(each => each != subscription);
            if (stream is null && StreamLimits.Problem(Encoders(others), key, subscription.Options, _options) is { } problem)
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

    /// <summary>
    /// Publishes a frame, whose reference it takes over. Waits only if the source can: until the queues of lossless readers have
    /// room, and until lockstep readers have acknowledged.
    /// </summary>
    /// <param name="frame">The frame.</param>
    /// <param name="isPaced">Whether frames have due times, so that each wait delays them. If not, readers set the pace.</param>
    [AsyncMethodBuilder(typeof(PoolingAsyncValueTaskMethodBuilder))]
    public async ValueTask PublishAsync(SharedFrame frame, bool isPaced = true)
    {
        if (_sourceWaits)
        {
            _holdUps.Grace = _encoderHoldUps.Grace = isPaced ? TimeSpan.Zero : UnpacedGrace;
            // One start time for all: the hub waits for all readers at the same time, not in sequence.
            var since = _clock.GetTimestamp();
            foreach (var stream in _streams) await stream.WaitForRoomAsync(since);
            if (isPaced) await WaitForHistoryAsync();
        }
        // Before anybody can have the frame, also a reader of the history: what it then plots belongs to this game loop.
        Drawings.Advance(frame.GameLoop);
        Plots.Advance(frame.GameLoop);
        FrameStream[] streams;
        ulong sequence;
        lock (_gate)
        {
            // Under one lock, so that a subscriber can determine whether this frame is its first.
            sequence = ++_sequence;
            streams = _streams;
            frame.MarkPublished(
                _match?.MatchId ?? throw new InvalidOperationException("a frame was published before its match"), sequence,
                FrameStamp.Now(_clock));
            Keep(frame);
            // A playback at unlimited rate is read as fast as possible, and keeping its frames would take a processor.
            if (isPaced || !_sourceWaits) _history?.Add(frame);
            else _history?.Interrupt();
        }
        // Before it is offered: a subscriber that does not get it may be sent the next one at once.
        var events = _events.Add(frame);
        _timeline.Add(frame.GameLoop, frame.Observation.Span, events.Span);
        if (Drawings.Version != _drawingsMarked) _timeline.AddDrawings(frame.GameLoop, Drawings.Read(out _drawingsMarked));
        _newestGameLoop = frame.GameLoop;
        Advanced?.Invoke();
        _bytesPublished += (ulong)frame.Observation.Length;
        _rate.Count();
        var gameLoop = frame.GameLoop;
        foreach (var stream in streams) stream.Offer(frame);
        frame.Release();
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
    internal void SkipTo(ulong sequence, SubscriptionEnd end)
    {
        Subscription[] current;
        lock (_gate)
        {
            _sequence = sequence;
            _history?.Interrupt();
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
        _began.TrySetResult(null);
        foreach (var stream in streams) stream.Finish(end);
        foreach (var subscription in _catchingUp) subscription.Finish(end);
        if (end.Reason == SubscriptionEndReason.Stopping) await EndWithoutDelayAsync(streams, end);
        foreach (var stream in streams)
        {
            await stream.Encoding;
            stream.Dispose();
        }
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
        if (await Task.WhenAny(encoding, Task.Delay(_options.StopTimeout, _clock)) == encoding) return;
        foreach (var stream in streams) stream.EndAll(end);
    }

    /// <summary>Completes when the number of subscribers satisfies a condition.</summary>
    public async Task WaitForSubscribersAsync(Func<int, bool> enough, CancellationToken cancellation)
    {
        while (true)
        {
            Task changed;
            lock (_gate)
            {
                if (enough(Subscriptions.Count())) return;
                changed = _subscribersChanged.Task;
            }
            await changed.WaitAsync(cancellation);
        }
    }

    /// <summary>Totals of all subscriptions, by kind.</summary>
    public IReadOnlyDictionary<SubscriptionTotals.Kind, SubscriptionTotals.Sums> Totals()
    {
        lock (_gate) return _totals.With(Subscriptions.Select(each => each.Status(_newestGameLoop)));
    }

    /// <summary>Adds the hub's part of the status.</summary>
    public void Describe(Status status)
    {
        lock (_gate)
        {
            DescribeSubscribers(status);
            status.FramesPublished = _sequence;
            status.BytesPublished = _bytesPublished;
            status.FramesPerSecond = _rate.PerSecond();
            status.History = _history?.Describe();
        }
    }

    /// <summary>Adds the subscribers alone, to those of another hub.</summary>
    public void DescribeSubscribers(Status status)
    {
        lock (_gate)
        {
            List<SubscriberStatus> subscribers = [.. Subscriptions.OrderBy(each => each.Id).Select(each => each.Status(_newestGameLoop))];
            status.Subscribers.AddRange(subscribers);
            status.BytesSent += _totals.With(subscribers).Values.Aggregate(0UL, (sum, each) => sum + each.BytesSent);
        }
    }

    private void Remove(Subscription subscription)
    {
        lock (_gate)
        {
            _totals.Add(subscription.Status(0));
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
        Left?.Invoke(subscription);
    }

    /// <summary>Drops the history. Subscriptions must have ended.</summary>
    public void Dispose() => _history?.Dispose();

    private void Keep(SharedFrame? newest)
    {
        if (_end is null) newest?.Retain();
        else newest = null;
        _newest?.Release();
        _newest = newest;
    }

    private void WakeReadersOfDrawings()
    {
        foreach (var subscription in Subscriptions)
        {
            if (subscription.Options.Drawings) subscription.Wake();
        }
    }

    private void SubscribersChanged()
    {
        _subscribersChanged.SetResult();
        _subscribersChanged = NewSource();
    }

    private static TaskCompletionSource NewSource() => new(TaskCreationOptions.RunContinuationsAsynchronously);
}
