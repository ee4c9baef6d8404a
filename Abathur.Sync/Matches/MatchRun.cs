using System.Runtime.CompilerServices;
using Abathur.Sync.Frames;
using Abathur.Sync.Hub;
using Abathur.Sync.Hub.Scheduling;
using Abathur.Sync.Matches.Drawing;
using Abathur.Sync.Matches.History;
using Abathur.Sync.Matches.Plots;
using Abathur.Sync.V1;

namespace Abathur.Sync.Matches;

/// <summary>
/// One match: its description, what is kept of it (history, timeline, what happened, drawings, plots), its recording, its end, and its
/// subscribers (<see cref="Hub"/>). One task publishes.
/// </summary>
public sealed class MatchRun : IDisposable
{
    /// <summary>Memory of a byte of the match as an object.</summary>
    private const int MatchFactor = 3;

    private readonly TimeProvider _clock;
    private readonly bool _sourceWaits;
    private readonly TaskCompletionSource<Match?> _began = new(TaskCreationOptions.RunContinuationsAsynchronously);
    private readonly MatchTimeline _timeline = new();
    private readonly MatchHistory? _history;
    private readonly EventLog _events = new();
    private readonly RateMeter _rate;
    private readonly Action<SharedFrame> _keep;
    private readonly Action<SharedFrame> _keepNothing;
    private volatile Match? _match;
    private Match? _matchWithoutGame;
    private Match? _matchInShort;
    private long _beganNs;
    private long _endedUnixNs;
    private long _matchBytes;
    private ulong _bytesPublished;
    private long _drawingsMarked;

    /// <param name="options">Limits.</param>
    /// <param name="abilities">What can be done with it.</param>
    /// <param name="clock">Clock of stamps and timeouts.</param>
    public MatchRun(HubOptions options, MatchAbilities abilities, TimeProvider clock)
        : this(new HubShare(options, clock), abilities)
    {
    }

    /// <param name="share">What its hub shares with those of other matches.</param>
    /// <param name="abilities">What can be done with it.</param>
    /// <param name="makeRoom">Makes room for its history (<see cref="MatchHistory.MakeRoom"/>).</param>
    internal MatchRun(HubShare share, MatchAbilities abilities, Func<long, long>? makeRoom = null)
    {
        var clock = share.Limits.Clock;
        (_clock, _sourceWaits, Abilities) = (clock, abilities.CanWait, abilities);
        _rate = new RateMeter(clock);
        Hub = new FrameHub(share, _sourceWaits, _events);
        Drawings.Changed += () => Hub.Wake(static subscription => subscription.Options.Drawings);
        if (share.HistoryBytes > 0)
            _history = new MatchHistory(share.HistoryBytes, EncoderThreads.Shared, clock) { MakeRoom = makeRoom };
        (_keep, _keepNothing) = (frame => _history?.Add(frame), _ => _history?.Interrupt());
    }

    /// <summary>Distributes the frames.</summary>
    internal FrameHub Hub { get; }

    /// <summary>What can be done with it.</summary>
    public MatchAbilities Abilities { get; internal set; }

    /// <summary>Identifies it; empty before it has begun.</summary>
    public string RunId => _match?.RunId ?? "";

    /// <summary>Why it has ended; null while it runs.</summary>
    public SubscriptionEnd? End { get; private set; }

    /// <summary>How its recording goes; null: it is not recorded.</summary>
    internal Func<RecordingStatus?>? Recording { get; set; }

    /// <summary>The result of each player, as soon as an observation has it.</summary>
    public IReadOnlyList<SC2APIProtocol.PlayerResult> Results => _timeline.Results;

    /// <summary>Memory of its kept frames.</summary>
    internal long HistoryBytes => _history?.Bytes ?? 0;

    /// <summary>Memory of what is kept of it, about, when it is complete.</summary>
    internal long Bytes => HistoryBytes + _timeline.Bytes + Plots.Bytes + _matchBytes;

    /// <summary>The drawings of agents.</summary>
    public DrawingBoard Drawings { get; } = new();

    /// <summary>The numbers of agents over time.</summary>
    public PlotBoard Plots { get; } = new();

    /// <summary>Called when the match has begun, and after each frame, when the drawings are those of its game loop, on the task that
    /// publishes. Must neither block nor throw.</summary>
    internal Action? Advanced { get; set; }

    /// <summary>The constant data of the match; null before the match has begun.</summary>
    public Match? Match => _match;

    /// <summary>The same without game info and game data, some hundred kilobytes of objects: too much for every request of the
    /// status.</summary>
    internal Match? MatchWithoutGame => _match is { } match ? _matchWithoutGame ??= WithoutGame(match) : null;

    /// <summary>When the match has begun, on the monotonic clock; 0 before.</summary>
    internal long BeganNs => Volatile.Read(ref _beganNs);

    /// <summary>The kept frames; null if none are kept.</summary>
    internal MatchHistory? History => _history;

    /// <summary>Whether frames are kept for subscribers that begin in the past.</summary>
    public bool KeepsHistory => _history is not null;

    /// <summary>First and last game loop that are kept; null if none is.</summary>
    public (uint First, uint Last)? HistoryRange => _history?.Range;

    /// <summary>Whether frames were published, and none of them is kept.</summary>
    public bool KeepsNothing => Hub.Sequence > 0 && HistoryRange is null;

    /// <summary>Sets the match. Called once, before its first frame.</summary>
    public void Begin(Match match)
    {
        if (_match is not null) throw new InvalidOperationException("the match has begun already");
        Drawings.Advance(match.FirstGameLoop);
        Plots.Advance(match.FirstGameLoop);
        _timeline.Begin(match.GameData);
        var now = FrameStamp.Now(_clock);
        // A match that is shown later has begun before.
        if (match.BeganUnixNs == 0) match.BeganUnixNs = now.UnixNs;
        Volatile.Write(ref _beganNs, now.MonotonicNs);
        _match = match;
        _began.TrySetResult(match);
        Advanced?.Invoke();
        // Readers of the match before wait for this one.
        Hub.Wake(static subscription => subscription.Options.Follows);
    }

    /// <summary>The match, as soon as it is set; null if it is finished without one.</summary>
    public Task<Match?> WaitForMatchAsync(CancellationToken cancellationToken) => _began.Task.WaitAsync(cancellationToken);

    /// <summary>Adds a subscriber. It gets the next frame that is published, or the kept ones before. Null if there are too many.</summary>
    public Subscription? Subscribe(SubscriptionOptions options) => Subscribe(options, out _);

    /// <summary>The same, with the reason for a refusal.</summary>
    /// <param name="options">The subscription.</param>
    /// <param name="problem">Why it is refused; empty if it is accepted.</param>
    public Subscription? Subscribe(SubscriptionOptions options, out string problem)
    {
        if (!options.Start.IsInHistory) return Hub.Subscribe(options, out problem);
        var history = _history ?? throw new InvalidOperationException("no history is kept");
        return Hub.Subscribe(options, out problem, subscription => new CatchUp(Reader(), Hub.Follow, _clock));

        HistoryReader Reader() => new(
            history,
            new(
                () => _match!.MatchId, options.Start.GameLoop, options.Start.MayBeNext, options.Format, options.CompressionLevel,
                StreamKey.For(options).FieldMask, options.EveryGameLoops),
            _clock);
    }

    /// <summary>Waits until the next frame can be kept. For a source that can wait; one task waits at a time.</summary>
    public ValueTask WaitForHistoryAsync() => _history?.WaitForRoomAsync() ?? default;

    /// <summary>
    /// Publishes a frame, whose reference it takes over. Waits only if the source can: until the queues of lossless readers have
    /// room, and until lockstep readers have acknowledged.
    /// </summary>
    /// <param name="frame">The frame.</param>
    /// <param name="isPaced">Whether frames have due times, so that each wait delays them. If not, readers set the pace.</param>
    [AsyncMethodBuilder(typeof(PoolingAsyncValueTaskMethodBuilder))]
    public async ValueTask PublishAsync(SharedFrame frame, bool isPaced = true)
    {
        // The numbers are those of "A frame's way" in docs/architecture.md.
        // 2. Room: a source that can wait waits for lossless readers and for the history.
        if (_sourceWaits)
        {
            await Hub.WaitForRoomAsync(isPaced);
            if (isPaced) await WaitForHistoryAsync();
        }
        // 3. Agents: before anybody can have the frame, also a reader of the history: what it then plots belongs to this game loop.
        Drawings.Advance(frame.GameLoop);
        Plots.Advance(frame.GameLoop);
        // 4. Number and history, under one lock, so that a subscriber can determine whether this frame is its first. A playback at
        // unlimited rate is read as fast as possible, and keeping its frames would take a processor.
        var matchId = _match?.MatchId ?? throw new InvalidOperationException("a frame was published before its match");
        Hub.Number(frame, matchId, isPaced || !_sourceWaits ? _keep : _keepNothing);
        // 5. What happened: before it is offered, because a subscriber that does not get it may be sent the next one at once.
        var events = _events.Add(frame);
        _timeline.Add(frame.GameLoop, frame.Observation.Span, events.Span);
        if (Drawings.Version != _drawingsMarked) _timeline.AddDrawings(frame.GameLoop, Drawings.Read(out _drawingsMarked));
        _bytesPublished += (ulong)frame.Observation.Length;
        _rate.Count();
        Advanced?.Invoke();
        // 6 to 9. Streams, subscriptions, transports, answers.
        await Hub.OfferAsync(frame);
    }

    /// <summary>Says that frames are missing before the next one: it gets the number behind this sequence, nothing is kept from before it,
    /// and the current subscriptions end. Later ones begin behind the gap.</summary>
    /// <param name="sequence">Of the last missing frame.</param>
    /// <param name="end">Why the subscriptions end.</param>
    internal void SkipTo(ulong sequence, SubscriptionEnd end) => Hub.SkipTo(sequence, end, () => _history?.Interrupt());

    /// <summary>Ends all current and later subscriptions. Completes when each stream has offered its queued frames.</summary>
    public Task FinishAsync(SubscriptionEnd end)
    {
        if (End is null) (_endedUnixNs, End) = (FrameStamp.Now(_clock).UnixNs, end);
        _began.TrySetResult(null);
        return Hub.FinishAsync(end);
    }

    /// <summary>Some numbers of the match, one row a game second, after a game loop (0: all), and what happened when.</summary>
    /// <param name="afterGameLoop">The game loop.</param>
    /// <param name="requireRoom">Is called with the bytes of the values before they are copied; throws if they are too many.</param>
    public Timeline Timeline(uint afterGameLoop, Action<long>? requireRoom = null) => _timeline.After(afterGameLoop, requireRoom);

    /// <summary>Keeps what can be read of it when it is over, in the least memory. Nothing is published any more, and its readers have read
    /// what they read live.</summary>
    /// <param name="former">A match whose game data it may share; null: none.</param>
    internal void Complete(Match? former)
    {
        if (_match is { } match)
        {
            var isShared = former?.GameData is { } data && data.Equals(match.GameData);
            if (isShared) match.GameData = former!.GameData;
            _matchBytes = MatchFactor * ((long)match.CalculateSize() - (isShared ? match.GameData.CalculateSize() : 0));
        }
        _history?.Complete();
        _timeline.Complete();
        _events.Clear();
    }

    /// <summary>The match in short; null before it has begun.</summary>
    public MatchSummary? Summary()
    {
        if (_match is not { } match) return null;
        var summary = new MatchSummary
        {
            Match = _matchInShort ??= InShort(match),
            State = End switch
            {
                null => MatchState.MatchRunning,
                { Reason: SubscriptionEndReason.SourceLost } => MatchState.MatchLost,
                _ => MatchState.MatchOver,
            },
            EndedUnixNs = _endedUnixNs,
            Frames = Hub.Sequence,
            Results = { Results },
            Reason = End?.Message ?? "",
            Recording = Recording?.Invoke(),
            History = _history?.Describe(),
        };
        if (Hub.Sequence > 0) summary.LastGameLoop = Hub.NewestGameLoop;
        return summary;
    }

    /// <summary>Adds what there is to say of the match to the status.</summary>
    public void Describe(Status status)
    {
        status.FramesPublished = Hub.Sequence;
        status.BytesPublished = _bytesPublished;
        status.FramesPerSecond = _rate.PerSecond();
        status.History = _history?.Describe();
        status.Recording = Recording?.Invoke();
        Abilities.Describe?.Invoke(status);
    }

    /// <summary>Drops the history. Subscriptions must have ended.</summary>
    public void Dispose() => _history?.Dispose();

    private static Match InShort(Match match)
    {
        var copy = WithoutGame(match);
        if (match.GameInfo is { } game) copy.GameInfo = new SC2APIProtocol.ResponseGameInfo { PlayerInfo = { game.PlayerInfo } };
        return copy;
    }

    private static Match WithoutGame(Match match)
    {
        var copy = match.Clone();
        (copy.GameInfo, copy.GameData) = (null, null);
        return copy;
    }
}
