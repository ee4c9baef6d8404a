using System.Diagnostics;
using System.Runtime.CompilerServices;
using Abathur.Protobuf.FieldMasks;
using Abathur.Sync.Access;
using Abathur.Sync.Diagnostics;
using Abathur.Sync.Diagnostics.Metrics;
using Abathur.Sync.Frames;
using Abathur.Sync.Hub;
using Abathur.Sync.Matches;
using Abathur.Sync.Matches.Drawing;
using Abathur.Sync.Matches.Plots;
using Abathur.Sync.Requests;
using Abathur.Sync.Sources;
using Abathur.Sync.Sources.Feed;
using Abathur.Sync.Sources.Push;
using Abathur.Sync.V1;
using Google.Protobuf.WellKnownTypes;

namespace Abathur.Sync.Transports;

/// <summary>
/// The requests of agents, independent of the transport. Refused requests throw <see cref="RefusedException"/>, whose status codes
/// are the same on all transports.
/// </summary>
/// <param name="live">What clients see that may act.</param>
/// <param name="watched">What clients see that may only watch; where they see the same, the same.</param>
/// <param name="openPublication">Opens a publication of a bot; null: observations come from elsewhere.</param>
/// <param name="access">The access rules.</param>
/// <param name="clock">Clock of all times.</param>
public sealed class SyncApi(
    MatchView live, MatchView watched, AccessOptions access, TimeProvider clock,
    Func<CancellationToken, Task<Publication>>? openPublication = null)
{
    /// <summary>Maximum number of frames in the queue of a subscription.</summary>
    public const int MaxBufferFrames = 1024;

    private const int DefaultBufferFrames = 64;
    private const int LatestBufferFramesWithKeyframes = 32;
    private const int MaxNameLength = 64;
    private static readonly TimeSpan DefaultLockstepTimeout = TimeSpan.FromSeconds(10);
    private static readonly TimeSpan MaxLockstepTimeout = TimeSpan.FromHours(1);
    private static readonly TimeSpan ProcessAge = TimeSpan.FromMilliseconds(100);

    /// <summary>Cached: system calls take longer than the rest of the status, and any client may request the status in a loop.</summary>
    private readonly CachedValue<ProcessStatus> _process = ProcessSince(clock.GetTimestamp(), clock);
    private readonly RateLimit _actRate = new(access.ActRate, clock);

    private readonly ConditionalWeakTable<MatchRun, EmulatedQueries> _emulated = [];

    /// <summary>The limit on answers that wait to be read, of the process.</summary>
    internal AnswerBudget Answers { get; } = AnswerBudget.OfProcess(clock);

    /// <summary>What a client with this token may do.</summary>
    /// <param name="token">Null or empty: none was sent.</param>
    public AccessLevel LevelOf(string? token) => access.Tokens.LevelOf(token);

    /// <summary>What clients see.</summary>
    /// <param name="level">What they may do.</param>
    public MatchView ViewOf(AccessLevel level) => level == AccessLevel.Watch ? watched : live;

    /// <summary>The constant data of the match that runs; null if none has begun.</summary>
    /// <param name="level">What the client may do that asks.</param>
    public Match? MatchOf(AccessLevel level) => ViewOf(level).Current.Match;

    /// <summary>The same. Waits for the match.</summary>
    /// <exception cref="RefusedException">The daemon is shutting down before a match has begun.</exception>
    public ValueTask<Match> WaitForMatchAsync(AccessLevel level, CancellationToken cancellationToken) =>
        WaitForMatchAsync(ViewOf(level).Current, cancellationToken);

    /// <summary>The same of the match of a subscription.</summary>
    public static async ValueTask<Match> WaitForMatchAsync(MatchRun run, CancellationToken cancellationToken) =>
        run.Match ?? await run.WaitForMatchAsync(cancellationToken) ?? throw NoMatch("the daemon is shutting down");

    /// <summary>The same without waiting, unless the request asks for it.</summary>
    public ValueTask<Match> GetMatchAsync(GetMatchRequest request, AccessLevel level, CancellationToken cancellationToken)
    {
        Require(AccessLevel.Watch, level);
        var run = RunOf(level, request.RunId);
        return request.Wait ? WaitForMatchAsync(run, cancellationToken) : ValueTask.FromResult(run.Match ?? throw NoMatchYet);
    }

    /// <summary>Subscribes; the caller disposes the subscription. It begins when frames can be encoded and written without delay.</summary>
    /// <param name="request">The request of the agent.</param>
    /// <param name="transport">The transport of the agent.</param>
    /// <param name="peer">Address of the agent.</param>
    /// <param name="level">What the agent may do.</param>
    public async ValueTask<MatchReader> SubscribeAsync(
        SubscribeRequest request, TransportTraits transport, string peer, AccessLevel level)
    {
        Require(request.Policy == Policy.Lockstep ? AccessLevel.Act : AccessLevel.Watch, level);
        var seen = ViewOf(level);
        var options = Check(request, transport, peer) with
        {
            MayAct = level >= AccessLevel.Act,
        };
        await FirstUse.OfAsync(options.Format, options.FieldMask.Count > 0);
        var run = RunOf(level, request.RunId);
        if (request.Follow && run.End is not null) throw Invalid("a match that is over cannot be followed: leave out its run_id");
        options = options with { Start = CheckStart(request, run) };
        return seen.Read(run, options, out var problem) ?? throw new RefusedException(RequestStatus.ResourceExhausted, problem);
    }

    /// <summary>Sends actions to the game.</summary>
    public Task<ActResult> ActAsync(ActRequest request, AccessLevel level, CancellationToken cancellationToken)
    {
        RequireToAct(level);
        var run = RunningOf(level, request.RunId);
        if (run.Match is null) throw NoMatchYet;
        if (run.Abilities.Actions is { } target) return target.ActAsync(request, cancellationToken);
        var advice = run.Abilities.Kind is SourceKind.Proxy or SourceKind.Live ? " without --allow-actions" : "";
        throw new RefusedException(RequestStatus.FailedPrecondition, $"a {SourceName} takes no actions{advice}");
    }

    /// <summary>Asks the game; without a game, or where it has no time, answers as the emulator does.</summary>
    public async Task<QueryResult> QueryAsync(QueryRequest request, AccessLevel level, CancellationToken cancellationToken)
    {
        RequireToAct(level);
        var run = RunningOf(level, request.RunId);
        if (run.Match is not { } match) throw NoMatchYet;
        var emulated = _emulated.GetValue(run, static run => new EmulatedQueries(run));
        if (request.Query is not { } query) throw Invalid("query is empty");
        if (run.Abilities.Queries is not { } target) return await emulated.AnswerAsync(query);
        if (await target.TryQueryAsync(query, cancellationToken) is { } answer) return answer;
        if (EmulatedQueries.Problem(match) is null) return await emulated.AnswerAsync(query);
        throw new RefusedException(
            RequestStatus.ResourceExhausted,
            $"the game answers {QueryQueue.MaxInALoop} requests of at most {QueryQueue.MaxInARequest} queries, for at most "
                + $"{QueryQueue.MaxTimeInALoop.TotalMilliseconds} ms, in a game loop, of all agents: ask again later");
    }

    /// <summary>Draws over the map.</summary>
    public DrawResult Draw(DrawRequest request, AccessLevel level)
    {
        RequireToAct(level);
        var run = RunningOf(level, request.RunId);
        if (run.Match is null) throw NoMatchYet;
        if (DrawingRules.Problem(request) is { } problem) throw Invalid(problem);
        return run.Drawings.TryDraw(request) ?? throw new RefusedException(
            RequestStatus.ResourceExhausted,
            $"more than {DrawingBoard.MaxShapes} shapes or {DrawingBoard.MaxLayers} layers at once: draw less, use shorter lifetimes, "
                + "or clear layers with a request without shapes");
    }

    /// <summary>Adds values to series of an agent.</summary>
    public PlotResult Plot(PlotRequest request, AccessLevel level)
    {
        RequireToAct(level);
        var run = RunningOf(level, request.RunId);
        if (run.Match is null) throw NoMatchYet;
        if (PlotRules.Problem(request) is { } wrong) throw Invalid(wrong);
        return run.Plots.TryPlot(request, out var problem)
            ?? throw new RefusedException(RequestStatus.ResourceExhausted, problem);
    }

    /// <summary>Opens a publication of a bot; the caller disposes it.</summary>
    public Task<Publication> PublishAsync(AccessLevel level, CancellationToken cancellationToken)
    {
        Require(AccessLevel.Act, level);
        return openPublication?.Invoke(cancellationToken) ?? throw new RefusedException(
            RequestStatus.FailedPrecondition, $"a {SourceName} takes no observations: the command `serve` does");
    }

    /// <summary>Controls the playback, or starts the next game.</summary>
    public async Task<PlaybackState> ControlAsync(ControlRequest request, AccessLevel level, CancellationToken cancellationToken)
    {
        RequireToAct(level);
        if (request.NextGame is { } nextGame)
        {
            if (live.Current.Abilities.NextGame is not { } games) throw NoNextGame;
            await games.StartNextAsync(nextGame.HasSeed ? nextGame.Seed : null, cancellationToken);
            return new PlaybackState();
        }
        if (live.Current.Abilities.Control is not { } control)
            throw new RefusedException(RequestStatus.FailedPrecondition, $"a {SourceName} cannot be controlled");
        try
        {
            return await control.ControlAsync(request, cancellationToken);
        }
        catch (PlaybackException e)
        {
            var code = e.Reason switch
            {
                PlaybackRefusal.OutOfRange => RequestStatus.OutOfRange,
                PlaybackRefusal.Over => RequestStatus.FailedPrecondition,
                _ => RequestStatus.InvalidArgument,
            };
            throw new RefusedException(code, e.Message);
        }
    }

    /// <summary>Some numbers of the match, once a game second, and what happened when.</summary>
    public async ValueTask<Timeline> GetTimelineAsync(GetTimelineRequest request, AccessLevel level, CancellationToken cancellationToken)
    {
        Require(AccessLevel.Watch, level);
        var seen = RunOf(level, request.RunId);
        if (!request.Whole || seen.Abilities.Overview is not { } overview)
            return seen.Timeline(request.AfterGameLoop, RequireRoom(level));
        return await ReadAsync(overview.TimelineAsync(request.AfterGameLoop, RequireRoom(level), cancellationToken));
    }

    /// <summary>The series of agents, and of a recording those in it.</summary>
    public async ValueTask<V1.Plots> GetPlotsAsync(GetPlotsRequest request, AccessLevel level, CancellationToken cancellationToken)
    {
        Require(AccessLevel.Watch, level);
        var seen = RunOf(level, request.RunId);
        var plots = seen.Plots.Between(request.AfterGameLoop, uint.MaxValue, RequireRoom(level));
        if (seen.Abilities.Overview is not { } overview) return plots;
        var until = request.Whole ? uint.MaxValue : seen.Hub.NewestGameLoop;
        var all = await ReadAsync(overview.PlotsAsync(request.AfterGameLoop, until, RequireRoom(level), cancellationToken));
        all.Series.Add(plots.Series);
        return all;
    }

    /// <summary>The matches that the client sees.</summary>
    public MatchList GetMatches(AccessLevel level)
    {
        Require(AccessLevel.Watch, level);
        return new MatchList { Matches = { ViewOf(level).Summaries() } };
    }

    /// <summary>What the daemon is doing.</summary>
    /// <param name="level">What the client may do that asks.</param>
    /// <param name="runId">The match; empty: that of <see cref="MatchView.Current"/>.</param>
    public Status GetStatus(AccessLevel level, string runId = "")
    {
        Require(AccessLevel.Watch, level);
        var seen = ViewOf(level);
        var run = RunOf(level, runId);
        var status = new Status
        {
            Match = run.MatchWithoutGame,
            Process = seen.HidesLoad ? WithoutLoad(_process.Value) : _process.Value,
            Delay = seen.IsDelayed ? Duration.FromTimeSpan(seen.Delay) : null,
            Playback = run.Abilities.Control?.State,
        };
        run.Describe(status);
        seen.Share.Describe(status, of: runId.Length > 0 ? run.Hub : null);
        if (seen == live && watched != live && runId.Length == 0) watched.Share.Describe(status);
        return status;
    }

    private static async Task<T> ReadAsync<T>(Task<T> reading)
    {
        try
        {
            return await reading;
        }
        catch (InvalidDataException e)
        {
            throw new RefusedException(RequestStatus.FailedPrecondition, e.Message);
        }
    }

    /// <summary>Refuses a large answer before its values are copied.</summary>
    private Action<long> RequireRoom(AccessLevel level) => bytes => Answers.RequireRoom(level, bytes);

    /// <summary>A match that can be read.</summary>
    /// <param name="level">What the client may do that asks.</param>
    /// <param name="runId">The match; empty: that of <see cref="MatchView.Current"/>.</param>
    private MatchRun RunOf(AccessLevel level, string runId) => ViewOf(level).Find(runId, out var problem) ?? throw (problem.Length > 0
        ? new RefusedException(RequestStatus.FailedPrecondition, problem)
        : new RefusedException(RequestStatus.NotFound, "there is no match with this run_id: GetMatches lists them"));

    /// <summary>The same of one that others may not have followed yet: agents that read the last frames of the last match may still draw.
    /// Of several that run, the client has to name one.</summary>
    private MatchRun RunningOf(AccessLevel level, string runId)
    {
        if (runId.Length == 0 && ViewOf(level).HasSeveral)
        {
            throw new RefusedException(
                RequestStatus.FailedPrecondition, "several matches run: name one with its run_id (GetMatches lists them)");
        }
        var run = RunOf(level, runId);
        return ViewOf(level).IsOver(run) ? throw new RefusedException(RequestStatus.FailedPrecondition, "this match is over") : run;
    }

    private static CachedValue<ProcessStatus> ProcessSince(long started, TimeProvider clock) => new(
        () =>
        {
            using var process = Process.GetCurrentProcess();
            return new ProcessStatus
            {
                Version = DaemonVersion.Text,
                Uptime = Duration.FromTimeSpan(clock.GetElapsedTime(started)),
                CpuTime = Duration.FromTimeSpan(process.TotalProcessorTime),
                AllocatedBytes = (ulong)GC.GetTotalAllocatedBytes(),
                WorkingSetBytes = (ulong)process.WorkingSet64,
                PeakWorkingSetBytes = (ulong)process.PeakWorkingSet64,
            };
        },
        ProcessAge,
        clock);

    private void RequireToAct(AccessLevel level)
    {
        Require(AccessLevel.Act, level);
        if (!_actRate.TryTake())
            throw new RefusedException(
                RequestStatus.ResourceExhausted,
                $"more than {access.ActRate} requests a second to act, draw, plot, query or control the playback, of all agents "
                    + "(--act-rate)");
    }

    /// <summary>Refuses clients whose access level is too low.</summary>
    /// <exception cref="RefusedException">UNAUTHENTICATED: no token, or a wrong one; PERMISSION_DENIED: a token for watching.</exception>
    public static void Require(AccessLevel needed, AccessLevel level)
    {
        if (level >= needed) return;
        throw level == AccessLevel.None
            ? new RefusedException(RequestStatus.Unauthenticated, "a token is needed, and none or a wrong one was sent")
            : new RefusedException(
                RequestStatus.PermissionDenied,
                "this token is for watching: acting, drawing, plots, queries, publishing, controlling the playback and lockstep need the "
                    + "other token");
    }

    private static SubscriptionOptions Check(SubscribeRequest request, TransportTraits transport, string peer)
    {
        var encoding = request.Encoding == Encoding.Auto ? transport.Native : request.Encoding;
        if (encoding is not (Encoding.Proto or Encoding.Json or Encoding.Columns))
            throw Unsupported("encoding", request.Encoding, "auto, proto, json, columns");
        if (transport.Form == WireFormat.Json && encoding != Encoding.Json)
        {
            throw Invalid($"encoding {encoding.ToString().ToLowerInvariant()} cannot be sent in text messages: use json, or subscribe "
                + "with a binary message (protobuf)");
        }
        var compressionLevel = CompressionRequest.CheckLevel(request, encoding, transport);
        if (request.Policy is not (Policy.Latest or Policy.Every or Policy.Lockstep))
            throw Unsupported("policy", request.Policy, "latest, every, lockstep");
        if (request.BufferFrames > MaxBufferFrames)
            throw Invalid($"buffer_frames is {request.BufferFrames}; at most {MaxBufferFrames} are allowed");
        if (request.Credits > MaxBufferFrames) throw Invalid($"credits is {request.Credits}; at most {MaxBufferFrames} are allowed");
        if (request.Name.Length > MaxNameLength)
            throw Invalid($"name has {request.Name.Length} characters; at most {MaxNameLength} are allowed");
        if (!transport.CanAcknowledge && (request.Policy == Policy.Lockstep || request.Credits > 0))
        {
            throw Invalid("policy lockstep and credits need acknowledgements: use Session, the socket or WebSocket");
        }
        if (!transport.CanAcknowledge && request.Follow)
            throw Invalid("a subscription that follows is told of each match: use Session, the socket or WebSocket");
        if (!transport.CanAcknowledge && request.Drawings)
            throw Invalid("drawings are sent between frames: use Session, the socket or WebSocket");
        return new SubscriptionOptions
        {
            Policy = request.Policy,
            Encoding = encoding,
            Compression = request.Compression,
            CompressionLevel = compressionLevel,
            FieldMask = CheckMask(request),
            EveryGameLoops = Math.Max(request.EveryGameLoops, 1),
            BufferFrames = BufferFrames(request, new PayloadFormat(encoding, request.Compression)),
            LockstepTimeout = CheckTimeout(request.LockstepTimeout),
            Credits = (int)request.Credits,
            BeginsWithNewest = request.Newest,
            Follows = request.Follow,
            Drawings = request.Drawings,
            MaxFrames = request.MaxFrames,
            Name = request.Name,
            Transport = transport.Name,
            Peer = peer,
        };
    }

    private static ProcessStatus WithoutLoad(ProcessStatus process) => new() { Version = process.Version, Uptime = process.Uptime };

    private static SubscriptionStart CheckStart(SubscribeRequest request, MatchRun seen)
    {
        if (request.StartCase == SubscribeRequest.StartOneofCase.None) return default;
        if (!seen.KeepsHistory)
        {
            throw new RefusedException(
                RequestStatus.FailedPrecondition, "this daemon keeps no frames of the match: start it with --history-mb of 1 or more");
        }
        if (request.StartCase == SubscribeRequest.StartOneofCase.StartOldest)
        {
            if (!request.StartOldest) throw Invalid("start_oldest is false; leave it out for live frames");
            return seen.KeepsNothing ? throw NothingKept : SubscriptionStart.Oldest;
        }
        var range = seen.HistoryRange;
        var isAfter = request.HasStartAfterGameLoop;
        var loop = isAfter ? request.StartAfterGameLoop : request.StartGameLoop;
        if (range is { } kept && loop <= kept.Last && (isAfter || loop >= kept.First))
            return isAfter ? SubscriptionStart.After(loop) : SubscriptionStart.At(loop);
        throw new RefusedException(
            RequestStatus.OutOfRange,
            $"start{(isAfter ? "_after" : "")}_game_loop is {loop}; "
                + (range is { } others ? $"the daemon keeps game loops {others.First} to {others.Last}" : "the daemon keeps no frame yet"));
    }

    private static RefusedException NothingKept => new(
        RequestStatus.FailedPrecondition,
        "the daemon keeps no frame of this match: a playback at unlimited rate keeps none, and one whose observations cannot be read");

    private static int BufferFrames(SubscribeRequest request, PayloadFormat format)
    {
        if (request.Policy == Policy.Latest) return format.HasKeyframes ? LatestBufferFramesWithKeyframes : 1;
        return request.BufferFrames == 0 ? DefaultBufferFrames : (int)request.BufferFrames;
    }

    private static string[] CheckMask(SubscribeRequest request)
    {
        if (request.FieldMask is not { Paths.Count: > 0 } mask) return [];
        try
        {
            WireProjection.For(SC2APIProtocol.ResponseObservation.Descriptor, mask.Paths);
        }
        catch (FieldMaskException e)
        {
            throw Invalid(e.Message);
        }
        return [.. mask.Paths];
    }

    private static TimeSpan CheckTimeout(Duration? timeout)
    {
        if (timeout is null) return DefaultLockstepTimeout;
        // Compared in seconds first: a Duration from a client may be far out of TimeSpan's range.
        var seconds = timeout.Seconds + (timeout.Nanos / 1e9);
        if (seconds < 0.001 || seconds > MaxLockstepTimeout.TotalSeconds)
            throw Invalid($"lockstep_timeout is {seconds} s; 0.001 to {MaxLockstepTimeout.TotalSeconds} s are allowed");
        return TimeSpan.FromSeconds(seconds);
    }

    private static RefusedException Unsupported<T>(string what, T value, string supported)
        where T : struct, System.Enum
    {
        var code = System.Enum.IsDefined(value) ? RequestStatus.Unimplemented : RequestStatus.InvalidArgument;
        return new(code, $"{what} {value.ToString().ToLowerInvariant()} is not served; known here: {supported}");
    }

    private static RefusedException NoMatchYet => NoMatch("there is no match yet");

    private static RefusedException NoMatch(string why) => new(RequestStatus.Unavailable, why);

    private static RefusedException Invalid(string message) => new(RequestStatus.InvalidArgument, message);

    private RefusedException NoNextGame => new(
        RequestStatus.FailedPrecondition,
        live.Current.Abilities.Kind == SourceKind.Live
            ? "this daemon plays a given number of games: start it with --games 0 for games on request"
            : $"a {SourceName} starts no games: the command `live --games 0` does");

    private string SourceName => live.Current.Abilities.Kind.ToString().ToLowerInvariant();
}
