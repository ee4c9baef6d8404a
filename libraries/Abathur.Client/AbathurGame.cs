using Abathur.Sync.V1;
using SC2APIProtocol;
using Result = Abathur.Sync.V1.Result;
using Status = Abathur.Sync.V1.Status;

namespace Abathur.Client;

/// <summary>A daemon, as agents use it: frames, and requests. Thread-safe, except that each enumeration of frames is for one
/// task.</summary>
/// <remarks>The daemon's socket has one subscription a connection: each <see cref="Frames"/> has a connection of its own, and all
/// requests share one that is opened with the first of them. gRPC has one connection for all.</remarks>
public sealed class AbathurGame : IAsyncDisposable
{
    private readonly ConnectOptions _options;
    private readonly DaemonTransport _transport;
    private readonly CurrentMatch _current = new();
    private volatile bool _isDisposed;

    private DaemonTransport Transport
    {
        get
        {
            ObjectDisposedException.ThrowIf(_isDisposed, this);
            return _transport;
        }
    }

    private AbathurGame(ConnectOptions options, DaemonTransport transport)
    {
        (_options, _transport) = (options, transport);
        Playback = new Playback(async (control, cancellationToken) =>
            (await RequestAsync(new ClientMessage { Control = control }, "", cancellationToken).ConfigureAwait(false)).Control);
    }

    /// <summary>The address, without the token.</summary>
    public string Address => _transport.Address;

    /// <summary>Pauses, steps, seeks: for a daemon that plays a recording.</summary>
    public Playback Playback { get; }

    /// <summary>Checks that a daemon answers.</summary>
    /// <param name="address"><c>HOST:PORT</c> or <c>socket://HOST:PORT</c>, <c>sockets://HOST:PORT</c> with TLS, or
    /// <c>socket+unix:PATH</c>; <c>grpc://HOST:PORT</c>, <c>grpcs://HOST:PORT</c> or <c>grpc+unix:PATH</c> for gRPC; <c>match:NAME</c> for
    /// the socket of a match on this machine. Null: the environment variable ABATHUR_ADDRESS, else
    /// 127.0.0.1:22401.</param>
    /// <param name="options">Token, certificates and timeouts.</param>
    /// <param name="cancellationToken">Ends the wait.</param>
    /// <exception cref="ArgumentException">The address or an option is invalid.</exception>
    /// <exception cref="ConnectException">No daemon is there within <see cref="ConnectOptions.Wait"/>, or none answers within
    /// <see cref="ConnectOptions.ReconnectTimeout"/>.</exception>
    public static async Task<AbathurGame> ConnectAsync(
        string? address = null, ConnectOptions? options = null, CancellationToken cancellationToken = default)
    {
        options ??= new ConnectOptions();
        options.Validate();
        var transport = DaemonTransport.Of(DaemonAddress.Parse(address, options), options);
        return await ConnectWithAsync(transport, options, cancellationToken).ConfigureAwait(false);
    }

    /// <summary>Checks that a match answers by another way: packages such as Abathur.Client.Nats have one.</summary>
    /// <param name="transport">The way, which is disposed with the game, or when this fails.</param>
    /// <param name="options">Timeouts.</param>
    /// <param name="cancellationToken">Ends the wait.</param>
    /// <exception cref="ConnectException">As of the other one.</exception>
    public static async Task<AbathurGame> ConnectWithAsync(
        DaemonTransport transport, ConnectOptions options, CancellationToken cancellationToken = default)
    {
        ArgumentNullException.ThrowIfNull(transport);
        ArgumentNullException.ThrowIfNull(options);
        try
        {
            options.Validate();
            var backoff = new Backoff(transport.Address, options.ReconnectTimeout, options.Wait, TimeProvider.System);
            while (true)
            {
                TimeSpan delay;
                try
                {
                    await transport.CheckAsync(cancellationToken).ConfigureAwait(false);
                    return new AbathurGame(options, transport);
                }
                catch (BrokenConnectionException e)
                {
                    delay = backoff.Fail(e);
                }
                await Task.Delay(delay, cancellationToken).ConfigureAwait(false);
            }
        }
        catch
        {
            transport.Dispose();
            throw;
        }
    }

    /// <summary>Frames until the match ends, with <see cref="SubscribeOptions.Follow"/> those of all that follow, or until the daemon shuts
    /// down. A broken connection is made again; the next frame has the number of dropped frames.</summary>
    /// <param name="options">Default: policy latest, protobuf.</param>
    /// <param name="cancellationToken">Ends the enumeration with an <see cref="OperationCanceledException"/>.</param>
    /// <returns>Frames that use the same memory: each is valid until the next one has come. <see cref="GameFrame.Clone"/> makes a copy that
    /// stays.</returns>
    /// <exception cref="ConnectException">As of <see cref="ConnectAsync"/>.</exception>
    /// <exception cref="ConnectionLostException">The connection broke and could not be made again.</exception>
    /// <exception cref="RequestException">The daemon refuses the subscription, or ends it: <see cref="SlowConsumerException"/>,
    /// <see cref="AckTimeoutException"/>, <see cref="SourceLostException"/>.</exception>
    /// <exception cref="ProtocolException">The daemon sent something invalid or too large.</exception>
    public IAsyncEnumerable<GameFrame> Frames(SubscribeOptions? options = null, CancellationToken cancellationToken = default) =>
        FramesOfMatches(options ?? new SubscribeOptions(), null, cancellationToken);

    /// <summary>The run that has a frame, for requests; empty where the daemon does not tell its matches apart.</summary>
    internal string RunOf(GameFrame frame) => _current.KnowsMatches && frame.Newest is { } newest ? newest.RunId : "";

    /// <summary>As <see cref="Frames"/>, with a call when a match is over that another one may follow.</summary>
    internal IAsyncEnumerable<GameFrame> FramesOfMatches(
        SubscribeOptions options, Func<MatchEnded, ValueTask>? matchEnded, CancellationToken cancellationToken) =>
        new FrameReader(Transport, _options, _current, options).ReadAsync(matchEnded, cancellationToken);

    /// <summary>The frame at a game loop, or the first one after it, from those that the daemon keeps. It stays valid.</summary>
    /// <param name="gameLoop">The game loop.</param>
    /// <param name="runId">The run of the match that is meant. Default: that of the frames that are read; before them the one that runs,
    /// of several the one that began last, else the next.</param>
    /// <param name="cancellationToken">Ends the wait.</param>
    /// <exception cref="RequestException">The daemon keeps no history (FailedPrecondition), or not that game loop (OutOfRange).
    /// </exception>
    public async Task<GameFrame> FrameAtAsync(uint gameLoop, string runId = "", CancellationToken cancellationToken = default)
    {
        var options = new SubscribeOptions
        {
            Policy = SubscribePolicy.Every,
            Encoding = FrameEncoding.Columns,
            Start = StartPosition.GameLoop(gameLoop),
            MaxFrames = 1,
            Name = "frame at a game loop",
            RunId = runId,
        };
        await foreach (var frame in Frames(options, cancellationToken).ConfigureAwait(false)) return frame.Clone();
        throw new RequestException(
            RequestErrorCode.OutOfRange, $"the match ended without a frame at or after game loop {gameLoop}");
    }

    /// <summary>What is fixed for a match: map, tick rate, game info, game data.</summary>
    /// <param name="runId">Its run. Default: the match that frames are read of; before them the one that runs, else the next.</param>
    /// <param name="cancellationToken">Ends the wait for a match.</param>
    /// <exception cref="ConnectException">No daemon answers.</exception>
    /// <exception cref="RequestException">The daemon does not know the run (NotFound), or is too old (Unimplemented).</exception>
    public async Task<Match> MatchAsync(string runId = "", CancellationToken cancellationToken = default)
    {
        if (runId.Length > 0) await RequireMatchesAsync(cancellationToken).ConfigureAwait(false);
        else if (_current.Match is { } known) return known.Value;
        try
        {
            var match = await Transport.MatchAsync(runId, cancellationToken).ConfigureAwait(false);
            if (runId.Length == 0) _current.Match ??= match;
            return match.Value;
        }
        catch (Exception e) when (e is BrokenConnectionException or DaemonStoppingException)
        {
            throw new ConnectException(Address, e.Message, e.InnerException);
        }
    }

    /// <summary>The matches of the daemon, in the order in which they began: the one that runs, and those that are over.</summary>
    /// <exception cref="ConnectException">No daemon answers.</exception>
    /// <exception cref="RequestException">Unimplemented: the daemon is too old, or the match is read over NATS.</exception>
    public async Task<IReadOnlyList<MatchSummary>> MatchesAsync(CancellationToken cancellationToken = default)
    {
        var request = new ClientMessage { Matches = new GetMatchesRequest() };
        var matches = (await RequestAsync(request, "", cancellationToken).ConfigureAwait(false)).Matches.Matches;
        _current.KnowsMatches = true;
        return matches;
    }

    /// <summary>Sends actions to the game, as an answer to the last frame.</summary>
    /// <param name="actions">At most 1,000.</param>
    /// <param name="maxLateGameLoops">Refuse them if more than this many game loops have passed since that frame; 0: never.</param>
    /// <param name="runId">The run of the match that is meant. Default: that of the frames that are read; before them the one that runs,
    /// of several the one that began last, else the next.</param>
    /// <param name="cancellationToken">Ends the wait; the actions may have been sent.</param>
    /// <exception cref="RequestException">The source accepts no actions, or the match is over (FailedPrecondition), they are too late
    /// (OutOfRange), or too many wait for the game (ResourceExhausted).</exception>
    public async Task<ActResult> ActAsync(
        IEnumerable<SC2APIProtocol.Action> actions, uint maxLateGameLoops = 0, string runId = "",
        CancellationToken cancellationToken = default)
    {
        var request = new ActRequest
        {
            GameLoop = _current.GameLoopFor(runId = _current.RunFor(runId)),
            MaxLateGameLoops = maxLateGameLoops,
            RunId = runId,
        };
        request.Actions.AddRange(actions);
        return (await RequestAsync(new ClientMessage { Act = request }, runId, cancellationToken).ConfigureAwait(false)).Act;
    }

    /// <summary>Ends the match that runs, and begins the next game of a daemon that plays games on request (<c>live --games 0</c>).
    /// Completes when that match is over: frames that are read then, and requests, are of the next one.</summary>
    /// <param name="seed">Seed of the game's random numbers. Default: as the daemon's command line says.</param>
    /// <param name="cancellationToken">Ends the wait; the game may begin.</param>
    /// <exception cref="RequestException">The daemon plays no games on request (FailedPrecondition), the token does not allow it
    /// (PermissionDenied), or the game has disconnected (Aborted).</exception>
    public async Task NextGameAsync(uint? seed = null, CancellationToken cancellationToken = default)
    {
        var next = new ControlRequest.Types.NextGame();
        if (seed is { } number) next.Seed = number;
        var request = new ClientMessage { Control = new ControlRequest { NextGame = next } };
        await RequestAsync(request, "", cancellationToken).ConfigureAwait(false);
        _current.Leave();
    }

    /// <summary>Draws over the map: on the dashboard, in a game that accepts agents' actions, and in its recording.</summary>
    /// <param name="shapes">At most 1,000; <see cref="Draw"/> makes them. They replace the shapes on the layer that have no lifetime. None:
    /// clears the layer.</param>
    /// <param name="layer">Name of the layer.</param>
    /// <param name="runId">The run of the match that is meant. Default: that of the frames that are read; before them the one that runs,
    /// of several the one that began last, else the next.</param>
    /// <param name="cancellationToken">Ends the wait.</param>
    /// <exception cref="RequestException">A shape is invalid (InvalidArgument), there are too many (ResourceExhausted), or the match is
    /// over (FailedPrecondition).</exception>
    public async Task<DrawResult> DrawAsync(
        IEnumerable<Shape> shapes, string layer = "", string runId = "", CancellationToken cancellationToken = default)
    {
        var request = new DrawRequest { Layer = layer, RunId = runId = _current.RunFor(runId) };
        if (_current.GameLoopFor(runId) is var loop and > 0) request.GameLoop = loop;
        request.Shapes.AddRange(shapes);
        return (await RequestAsync(new ClientMessage { Draw = request }, runId, cancellationToken).ConfigureAwait(false)).Draw;
    }

    /// <summary>Adds a value to a series, at the game loop of the last frame: a graph on the dashboard, and in the recording.</summary>
    /// <param name="name">Name of the series, at most 64 characters.</param>
    /// <param name="value">A finite number. A second value at the same game loop replaces the first.</param>
    /// <param name="agent">Whose series it is, at most 64 characters.</param>
    /// <param name="runId">The run of the match that is meant. Default: that of the frames that are read; before them the one that runs,
    /// of several the one that began last, else the next.</param>
    /// <param name="cancellationToken">Ends the wait.</param>
    /// <exception cref="RequestException">The name or the value is invalid (InvalidArgument), there would be more than 64 series of the
    /// agent or 256 of all (ResourceExhausted), or the match is over (FailedPrecondition).</exception>
    public Task<PlotResult> PlotAsync(
        string name, double value, string agent = "", string runId = "", CancellationToken cancellationToken = default) =>
        PlotAsync([new(name, value)], agent, runId, cancellationToken);

    /// <summary>Adds a value to each of some series, in one request.</summary>
    /// <param name="values">1 to 64 finite numbers by name of the series.</param>
    /// <param name="agent">Whose series they are.</param>
    /// <param name="runId">The run of the match that is meant. Default: that of the frames that are read; before them the one that runs,
    /// of several the one that began last, else the next.</param>
    /// <param name="cancellationToken">Ends the wait.</param>
    /// <exception cref="RequestException">As for one value.</exception>
    public async Task<PlotResult> PlotAsync(
        IEnumerable<KeyValuePair<string, double>> values, string agent = "", string runId = "",
        CancellationToken cancellationToken = default)
    {
        var request = new PlotRequest { Agent = agent, RunId = runId = _current.RunFor(runId) };
        if (_current.GameLoopFor(runId) is var loop and > 0) request.GameLoop = loop;
        request.Values.AddRange(values.Select(each => new PlotRequest.Types.Sample { Name = each.Key, Value = each.Value }));
        return (await RequestAsync(new ClientMessage { Plot = request }, runId, cancellationToken).ConfigureAwait(false)).Plot;
    }

    /// <summary>The series of all agents so far, and of a playback those in the recording.</summary>
    /// <param name="afterGameLoop">Only points after this game loop.</param>
    /// <param name="runId">The run of the match that is meant. Default: that of the frames that are read; before them the one that runs,
    /// of several the one that began last, else the next.</param>
    /// <param name="cancellationToken">Ends the wait.</param>
    public async Task<IReadOnlyList<Plots.Types.Series>> PlotsAsync(
        uint afterGameLoop = 0, string runId = "", CancellationToken cancellationToken = default)
    {
        var request = new ClientMessage { Plots = new GetPlotsRequest { AfterGameLoop = afterGameLoop, RunId = _current.RunFor(runId) } };
        return (await RequestAsync(request, runId, cancellationToken).ConfigureAwait(false)).Plots.Series;
    }

    /// <summary>Asks the game: distances, placements, abilities. It costs the game time.</summary>
    /// <param name="query">What to ask.</param>
    /// <param name="runId">The run of the match that is meant. Default: that of the frames that are read; before them the one that runs,
    /// of several the one that began last, else the next.</param>
    /// <param name="cancellationToken">Ends the wait.</param>
    /// <exception cref="RequestException">Nothing can answer, or the match is over (FailedPrecondition), the token does not allow it
    /// (PermissionDenied), or too many wait (ResourceExhausted).</exception>
    public async Task<QueryResult> QueryAsync(RequestQuery query, string runId = "", CancellationToken cancellationToken = default)
    {
        var request = new ClientMessage { Query = new QueryRequest { Query = query, RunId = _current.RunFor(runId) } };
        return (await RequestAsync(request, runId, cancellationToken).ConfigureAwait(false)).Query;
    }

    /// <summary>Numbers of the match so far, a row a game second.</summary>
    /// <param name="afterGameLoop">Only rows after this game loop.</param>
    /// <param name="runId">The run of the match that is meant. Default: that of the frames that are read; before them the one that runs,
    /// of several the one that began last, else the next.</param>
    /// <param name="cancellationToken">Ends the wait.</param>
    public async Task<MatchTimeline> TimelineAsync(
        uint afterGameLoop = 0, string runId = "", CancellationToken cancellationToken = default)
    {
        var request = new ClientMessage
        {
            Timeline = new GetTimelineRequest { AfterGameLoop = afterGameLoop, RunId = _current.RunFor(runId) },
        };
        return new MatchTimeline((await RequestAsync(request, runId, cancellationToken).ConfigureAwait(false)).Timeline);
    }

    /// <summary>What the daemon is doing: source, agents, rates.</summary>
    /// <param name="runId">The run of the match that is meant. Default: the one that runs, else the next.</param>
    /// <param name="cancellationToken">Ends the wait.</param>
    public async Task<Status> StatusAsync(string runId = "", CancellationToken cancellationToken = default)
    {
        var request = new ClientMessage { Status = new GetStatusRequest { RunId = runId } };
        return (await RequestAsync(request, runId, cancellationToken).ConfigureAwait(false)).Status;
    }

    /// <summary>Begins to publish a bot's own observations (<c>abathur serve</c>). Dispose the result after its
    /// <see cref="AbathurPublisher.FinishAsync"/>.</summary>
    /// <param name="match">What is known of the match; null: nothing.</param>
    /// <param name="cancellationToken">Ends the wait.</param>
    /// <exception cref="RequestException">The daemon has another source (FailedPrecondition), or another bot publishes
    /// (AlreadyExists).</exception>
    /// <exception cref="ConnectException">No daemon answers.</exception>
    public Task<AbathurPublisher> PublishAsync(Match? match = null, CancellationToken cancellationToken = default) =>
        AbathurPublisher.OpenAsync(Address, Transport, match, cancellationToken);

    /// <summary>Closes the connections. A second call does nothing.</summary>
    public ValueTask DisposeAsync()
    {
        _isDisposed = true;
        _transport.Dispose();
        return ValueTask.CompletedTask;
    }

    /// <summary>Fails if the daemon would answer for another match than the one that is meant.</summary>
    private async ValueTask RequireMatchesAsync(CancellationToken cancellationToken)
    {
        if (!_current.KnowsMatches) await MatchesAsync(cancellationToken).ConfigureAwait(false);
    }

    /// <summary>Sends a request that is for a run, or for none.</summary>
    private async Task<Result> RequestAsync(ClientMessage message, string runId, CancellationToken cancellationToken)
    {
        if (runId.Length > 0) await RequireMatchesAsync(cancellationToken).ConfigureAwait(false);
        using var limit = CancellationTokenSource.CreateLinkedTokenSource(cancellationToken);
        limit.CancelAfter(_options.RequestTimeout);
        try
        {
            return await Transport.RequestAsync(message, limit.Token).ConfigureAwait(false);
        }
        catch (Exception e) when (e is BrokenConnectionException or DaemonStoppingException)
        {
            throw new ConnectException(Address, e.Message, e.InnerException);
        }
        catch (OperationCanceledException) when (!cancellationToken.IsCancellationRequested)
        {
            throw new RequestException(
                RequestErrorCode.DeadlineExceeded, $"no answer within {_options.RequestTimeout.TotalSeconds:g} s");
        }
    }
}
