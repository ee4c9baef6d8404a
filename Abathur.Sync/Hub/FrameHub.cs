using System.Runtime.CompilerServices;
using Abathur.Sync.Drawing;
using Abathur.Sync.Frames;
using Abathur.Sync.V1;
using Frame = Abathur.Sync.Frames.Frame;

namespace Abathur.Sync.Hub;

/// <summary>
/// Distributes the frames of one source to subscribers. Publishing costs the same whether readers keep up or not: each
/// subscription has a bounded queue, and its policy defines what happens when the queue is full.
/// </summary>
public sealed class FrameHub
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
    private ulong _nextId = 1;
    private SubscriptionEnd? _end;
    private ulong _sequence;
    private ulong _bytesPublished;
    private readonly SubscriptionTotals _totals = new();
    private uint _newestGameLoop;
    private Frame? _newest;
    private readonly RateMeter _rate;
    private readonly SubscriberScheduler _readers = new();
    private readonly HoldUpBudget _holdUps;
    private readonly HoldUpBudget _encoderHoldUps;
    private readonly EventLog _events = new();

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
        Drawings.Changed += WakeWhoeverSeesDrawings;
    }

    /// <summary>The drawings of agents.</summary>
    public DrawingBoard Drawings { get; } = new();

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

    /// <summary>Sequence of the newest frame; 0 before the first.</summary>
    public ulong Sequence => _sequence;

    /// <summary>Frames that the current subscribers have read, all together.</summary>
    public ulong FramesSent => _streams.SelectMany(stream => stream.Subscriptions).Aggregate(0UL, (sum, each) => sum + each.FramesSent);

    /// <summary>Sets the match. Called once, before its first frame.</summary>
    public void Begin(Match match)
    {
        if (_match is not null) throw new InvalidOperationException("the match has begun already");
        Drawings.Advance(match.FirstGameLoop);
        _match = match;
        _began.TrySetResult(match);
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
            problem = _streams.Sum(stream => stream.Subscriptions.Length) >= _options.MaxSubscriptions
                ? $"there are {_options.MaxSubscriptions} subscriptions, which is the limit"
                : "";
            if (problem.Length > 0) return null;
            var stream = Array.Find(_streams, each => each.Key == key);
            if (stream is null && _end is null) problem = StreamLimits.Problem(_streams, key, options, _options) ?? "";
            if (problem.Length > 0) return null;
            var subscription = new Subscription(_nextId++, options, _sequence + 1, _clock, Remove, _events);
            if (_end is { } end)
            {
                subscription.Finish(end);
                return subscription;
            }
            if (stream is null)
            {
                stream = new FrameStream(
                    key, _options, _sourceWaits, _clock, _readers, EncoderThreads.Shared, _holdUps, _encoderHoldUps, RetainNewest)
                {
                    Encoded = duration => Encoded?.Invoke(key.Format, duration),
                };
                // Streams without an encoder are served before the others.
                _streams = stream.Encoding.IsCompleted ? [stream, .. _streams] : [.. _streams, stream];
            }
            stream.Add(subscription);
            SubscribersChanged();
            return subscription;
        }
    }

    /// <summary>
    /// Publishes a frame, whose reference it takes over. Waits only if the source can: until the queues of lossless readers have
    /// room, and until lockstep readers have acknowledged.
    /// </summary>
    /// <param name="frame">The frame.</param>
    /// <param name="isPaced">Whether frames have due times, so that each wait delays them. If not, readers set the pace.</param>
    [AsyncMethodBuilder(typeof(PoolingAsyncValueTaskMethodBuilder))]
    public async ValueTask PublishAsync(Frame frame, bool isPaced = true)
    {
        if (_sourceWaits)
        {
            _holdUps.Grace = _encoderHoldUps.Grace = isPaced ? TimeSpan.Zero : UnpacedGrace;
            // One start time for all: the hub waits for all readers at the same time, not in sequence.
            var since = _clock.GetTimestamp();
            foreach (var stream in _streams) await stream.WaitForRoomAsync(since);
        }
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
        }
        // Before it is offered: a subscriber that does not get it may be sent the next one at once.
        _events.Add(frame);
        _newestGameLoop = frame.GameLoop;
        Drawings.Advance(frame.GameLoop);
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
        if (end.Reason == SubscriptionEndReason.Stopping) await EndWithoutDelayAsync(streams, end);
        foreach (var stream in streams)
        {
            await stream.Encoding;
            stream.Dispose();
        }
    }

    /// <summary>The newest frame, which the caller releases; null before the first and after the end.</summary>
    public Frame? RetainNewest()
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
                if (enough(_streams.Sum(stream => stream.Subscriptions.Length))) return;
                changed = _subscribersChanged.Task;
            }
            await changed.WaitAsync(cancellation);
        }
    }

    /// <summary>Totals of all subscriptions, by kind.</summary>
    public IReadOnlyDictionary<SubscriptionTotals.Kind, SubscriptionTotals.Sums> Totals()
    {
        lock (_gate) return _totals.With(_streams.SelectMany(stream => stream.Subscriptions).Select(each => each.Status(_newestGameLoop)));
    }

    /// <summary>Adds the hub's part of the status.</summary>
    public void Describe(Status status)
    {
        lock (_gate)
        {
            var subscribers = _streams.SelectMany(stream => stream.Subscriptions)
                .OrderBy(each => each.Id)
                .Select(each => each.Status(_newestGameLoop));
            status.Subscribers.AddRange(subscribers);
            status.FramesPublished = _sequence;
            status.BytesPublished = _bytesPublished;
            status.BytesSent = _totals.With(status.Subscribers).Values.Aggregate(0UL, (sum, each) => sum + each.BytesSent);
            status.FramesPerSecond = _rate.PerSecond();
        }
    }

    private void Remove(Subscription subscription)
    {
        lock (_gate)
        {
            _totals.Add(subscription.Status(0));
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

    private void Keep(Frame? newest)
    {
        if (_end is null) newest?.Retain();
        else newest = null;
        _newest?.Release();
        _newest = newest;
    }

    private void WakeWhoeverSeesDrawings()
    {
        foreach (var stream in _streams)
        {
            foreach (var subscription in stream.Subscriptions)
            {
                if (subscription.Options.Drawings) subscription.Wake();
            }
        }
    }

    private void SubscribersChanged()
    {
        _subscribersChanged.SetResult();
        _subscribersChanged = NewSource();
    }

    private static TaskCompletionSource NewSource() => new(TaskCreationOptions.RunContinuationsAsynchronously);
}
