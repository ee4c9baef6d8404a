using System.Diagnostics;
using System.Runtime.ExceptionServices;
using Abathur.Sync.V1;
using SC2APIProtocol;

namespace Abathur.Client;

/// <summary>An agent as a class: override the callbacks, then <see cref="RunAsync"/>.</summary>
/// <remarks>
/// For each frame the events are called in the order of <see cref="GameFrame.Events"/>, then <see cref="OnStep"/>. Names and meaning are
/// those of python-sc2's BotAI. Frames and unit views are valid until the callback's task completes. Callbacks run one at a time, without
/// the synchronization context in which the agent was started: a user interface has to go to its thread itself. With
/// <see cref="SubscribeOptions.Follow"/> each match has its <see cref="OnStart"/> and <see cref="OnEnd"/>. Requests of this class are for
/// the match of the frame; one that comes when that is over ends the step.
/// </remarks>
public abstract class Agent
{
    private const int MaxNameLength = 64;

    /// <summary>How a daemon refuses what is for a match that is over.</summary>
    private const string MatchIsOver = "this match is over";

    /// <summary>How long frames may still arrive after a request that failed because the match has ended.</summary>
    private static readonly TimeSpan EndTime = TimeSpan.FromSeconds(1);

    /// <summary>The daemon, while the agent runs.</summary>
    protected AbathurGame Game { get; private set; } = null!;

    /// <summary>The frame, from the first one on.</summary>
    protected GameFrame Frame { get; private set; }

    /// <summary>Sends actions to the game. See <see cref="AbathurGame.ActAsync"/>.</summary>
    public Task<ActResult> ActAsync(
        IEnumerable<SC2APIProtocol.Action> actions, uint maxLateGameLoops = 0, CancellationToken cancellationToken = default) =>
        Game.ActAsync(actions, maxLateGameLoops, Game.RunOf(Frame), cancellationToken);

    /// <summary>Draws over the map, on a layer with the name of this class. See <see cref="AbathurGame.DrawAsync"/>.</summary>
    public Task<DrawResult> DrawAsync(IEnumerable<Shape> shapes, CancellationToken cancellationToken = default) =>
        Game.DrawAsync(shapes, Name, Game.RunOf(Frame), cancellationToken);

    /// <summary>Adds a value to a series of this agent, by the name of this class. See <see cref="AbathurGame.PlotAsync(string, double,
    /// string, string, CancellationToken)"/>.</summary>
    public Task<PlotResult> PlotAsync(string name, double value, CancellationToken cancellationToken = default) =>
        Game.PlotAsync(name, value, Name, Game.RunOf(Frame), cancellationToken);

    /// <summary>Runs until the match ends, with <see cref="SubscribeOptions.Follow"/> the last one, or the daemon shuts down.</summary>
    /// <param name="address">As for <see cref="AbathurGame.ConnectAsync"/>.</param>
    /// <param name="options">The subscription. Default: policy latest, columns in a zstd stream. Without a name, the daemon's status shows
    /// the name of the class.</param>
    /// <param name="connect">The connection.</param>
    /// <param name="cancellationToken">Ends the agent with an <see cref="OperationCanceledException"/>; <see cref="OnEnd"/> is not called.
    /// </param>
    /// <exception cref="AbathurException">As <see cref="AbathurGame.Frames"/>, and what a callback throws.</exception>
    public async Task RunAsync(
        string? address = null, SubscribeOptions? options = null, ConnectOptions? connect = null,
        CancellationToken cancellationToken = default)
    {
        var game = await AbathurGame.ConnectAsync(address, connect, cancellationToken).ConfigureAwait(false);
        await using (game.ConfigureAwait(false)) await RunOnAsync(game, options, cancellationToken).ConfigureAwait(false);
    }

    /// <summary>The same on a match that is connected already, which stays so.</summary>
    /// <param name="game">The match.</param>
    /// <param name="options">The subscription.</param>
    /// <param name="cancellationToken">Ends the agent.</param>
    /// <exception cref="AbathurException">As of the other one.</exception>
    public async Task RunOnAsync(AbathurGame game, SubscribeOptions? options = null, CancellationToken cancellationToken = default)
    {
        options ??= new SubscribeOptions { Encoding = FrameEncoding.Columns, Compression = FrameCompression.ZstdStream };
        if (options.Name.Length == 0) options = options with { Name = Name };
        Game = game;
        IReadOnlyList<PlayerResult> results = [];
        // The run of the match that has started.
        string? run = null;
        ExceptionDispatchInfo? failure = null;
        var failed = 0L;
        await foreach (var frame in game.FramesOfMatches(options, MatchEnded, cancellationToken).ConfigureAwait(false))
        {
            if (failure is not null && (frame.Reconnected || Stopwatch.GetElapsedTime(failed) > EndTime)) failure.Throw();
            // Nothing tells the end of a match during which the connection broke.
            if (options.Follow && run is not null && run != frame.RunId) await EndAsync(results).ConfigureAwait(false);
            results = PlayerResults.Read(frame.State.Content.RestBytes.Span);
            if (failure is not null) continue;
            Frame = frame;
            try
            {
                var isFirst = run is null;
                run ??= frame.RunId;
                await StepAsync(frame, isFirst).ConfigureAwait(false);
            }
            catch (ConnectException e)
            {
                // A request failed because the match or the daemon has ended: only frames on the way follow.
                (failure, failed) = (ExceptionDispatchInfo.Capture(e), Stopwatch.GetTimestamp());
            }
            catch (RequestException e) when (e.Code == RequestErrorCode.FailedPrecondition && e.Reason == MatchIsOver)
            {
                // Only frames on the way follow.
            }
        }
        if (run is not null || !options.Follow) await OnEnd(results).ConfigureAwait(false);

        // On NATS only the last frame has them.
        ValueTask MatchEnded(MatchEnded ended) => EndAsync(ended.Results.Count > 0 ? ended.Results : results);

        async ValueTask EndAsync(IReadOnlyList<PlayerResult> last)
        {
            var hasStarted = run is not null;
            (run, failure, results) = (null, null, []);
            if (hasStarted) await OnEnd(last).ConfigureAwait(false);
        }
    }

    /// <summary>Called once a match, when its first frame has arrived.</summary>
    protected virtual ValueTask OnStart() => default;

    /// <summary>Called for each frame, after its events.</summary>
    protected virtual ValueTask OnStep(GameFrame frame) => default;

    /// <summary>Called once after the last frame of a match, with its results; none when a playback ends early, or the match was lost.
    /// </summary>
    protected virtual ValueTask OnEnd(IReadOnlyList<PlayerResult> results) => default;

    /// <summary>See <see cref="UnitEventKind.UnitDestroyed"/>.</summary>
    protected virtual ValueTask OnUnitDestroyed(ulong unitTag) => default;

    /// <summary>See <see cref="UnitEventKind.UnitCreated"/>.</summary>
    protected virtual ValueTask OnUnitCreated(UnitView unit) => default;

    /// <summary>See <see cref="UnitEventKind.UnitTookDamage"/>.</summary>
    /// <param name="unit">The unit.</param>
    /// <param name="amount">Points of health and shield; it can be zero or negative.</param>
    protected virtual ValueTask OnUnitTookDamage(UnitView unit, double amount) => default;

    /// <summary>See <see cref="UnitEventKind.UnitTypeChanged"/>.</summary>
    protected virtual ValueTask OnUnitTypeChanged(UnitView unit, uint previousType) => default;

    /// <summary>See <see cref="UnitEventKind.BuildingConstructionStarted"/>.</summary>
    protected virtual ValueTask OnBuildingConstructionStarted(UnitView unit) => default;

    /// <summary>See <see cref="UnitEventKind.BuildingConstructionComplete"/>.</summary>
    protected virtual ValueTask OnBuildingConstructionComplete(UnitView unit) => default;

    /// <summary>See <see cref="UnitEventKind.UpgradeComplete"/>.</summary>
    protected virtual ValueTask OnUpgradeComplete(uint upgradeId) => default;

    /// <summary>See <see cref="UnitEventKind.EnemyUnitEnteredVision"/>.</summary>
    protected virtual ValueTask OnEnemyUnitEnteredVision(UnitView unit) => default;

    /// <summary>See <see cref="UnitEventKind.EnemyUnitLeftVision"/>.</summary>
    protected virtual ValueTask OnEnemyUnitLeftVision(ulong unitTag) => default;

    /// <summary>See <see cref="UnitEventKind.Alert"/>.</summary>
    protected virtual ValueTask OnAlert(Alert alert) => default;

    private string Name => GetType().Name is var name && name.Length > MaxNameLength ? name[..MaxNameLength] : GetType().Name;

    private async ValueTask StepAsync(GameFrame frame, bool isFirst)
    {
        var events = frame.Events;
        if (isFirst) await OnStart().ConfigureAwait(false);
        for (var i = 0; i < events.Count; i++) await CallAsync(events[i]).ConfigureAwait(false);
        await OnStep(frame).ConfigureAwait(false);
    }

    private ValueTask CallAsync(UnitEvent each) => each.Kind switch
    {
        UnitEventKind.UnitDestroyed => OnUnitDestroyed(each.Tag),
        UnitEventKind.UnitCreated => OnUnitCreated(Frame.Units[each.Row]),
        UnitEventKind.UnitTookDamage => OnUnitTookDamage(Frame.Units[each.Row], each.Amount),
        UnitEventKind.UnitTypeChanged => OnUnitTypeChanged(Frame.Units[each.Row], each.PreviousType),
        UnitEventKind.BuildingConstructionStarted => OnBuildingConstructionStarted(Frame.Units[each.Row]),
        UnitEventKind.BuildingConstructionComplete => OnBuildingConstructionComplete(Frame.Units[each.Row]),
        UnitEventKind.UpgradeComplete => OnUpgradeComplete(each.UpgradeId),
        UnitEventKind.EnemyUnitEnteredVision => OnEnemyUnitEnteredVision(Frame.Units[each.Row]),
        UnitEventKind.EnemyUnitLeftVision => OnEnemyUnitLeftVision(each.Tag),
        _ => OnAlert(each.Alert),
    };
}
