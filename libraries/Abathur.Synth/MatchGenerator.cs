using Abathur.Sc2;
using SC2APIProtocol;
using MatchEvent = Abathur.Sync.V1.Event;
using Outcome = SC2APIProtocol.Result;

namespace Abathur.Synth;

/// <summary>
/// Simulates a match of two computer players, Zerg against Protoss, and returns the observations of player 1. No game is involved and
/// no files are read: the result depends only on the options and is the same on every machine. Not thread-safe.
/// </summary>
public sealed class MatchGenerator
{
    private readonly SynthOptions _options;
    private readonly Simulation _simulation;
    private readonly ObservationWriter _writer;
    private readonly List<MatchEvent> _events = [];
    private int _step;

    /// <exception cref="ArgumentOutOfRangeException">An option is outside its limits.</exception>
    public MatchGenerator(SynthOptions options)
    {
        ArgumentNullException.ThrowIfNull(options);
        options.Validate();
        _options = options;
        _simulation = new Simulation(options);
        _writer = new ObservationWriter(_simulation);
        GameInfo = MatchDescription.GameInfo(_simulation.World);
        GameData = GameDataTables.ToResponseData();
    }

    /// <summary>Map and players, as the game describes them.</summary>
    public ResponseGameInfo GameInfo { get; }

    /// <summary>Unit types, abilities and upgrades that occur, with the figures of the game.</summary>
    public ResponseData GameData { get; }

    /// <summary>Game loop of the current frame.</summary>
    public uint GameLoop => (uint)_simulation.World.Loop;

    /// <summary>The current frame, a <see cref="ResponseObservation"/>; the memory is overwritten by <see cref="Next"/>.</summary>
    public ReadOnlyMemory<byte> Observation => _writer.Written;

    /// <summary>Events of the match since the previous frame.</summary>
    public IReadOnlyList<MatchEvent> Events => _events;

    internal Simulation Simulation => _simulation;

    /// <summary>Advances to the next frame; the first call to the first frame.</summary>
    /// <returns>False after the last one.</returns>
    public bool Next()
    {
        if (_step == _options.Steps) return false;
        var world = _simulation.World;
        if (_step > 0)
        {
            world.Deaths.Clear();
            world.Alerts.Clear();
            _simulation.Commands.Clear();
            for (var i = 0; i < _options.LoopStep; i++) _simulation.Step();
        }

        _step++;
        _events.Clear();
        if (_step == 1) _events.Add(new MatchEvent { GameLoop = GameLoop, MatchStarted = new() });
        var results = _step == _options.Steps ? End() : [];
        _writer.Write(results);
        return true;
    }

    /// <summary>Actions of a player since the previous frame, player id 1 or 2; may be empty.</summary>
    public RequestAction ActionsOf(int playerId)
    {
        ArgumentOutOfRangeException.ThrowIfLessThan(playerId, 1);
        ArgumentOutOfRangeException.ThrowIfGreaterThan(playerId, 2);
        var request = new RequestAction();
        request.Actions.AddRange(_simulation.Commands.Of(playerId));
        return request;
    }

    private List<PlayerResult> End()
    {
        var players = _simulation.World.Players;
        var first = players[0].Score.Total(players[0]) >= players[1].Score.Total(players[1]);
        List<PlayerResult> results =
        [
            new() { PlayerId = 1, Result = first ? Outcome.Victory : Outcome.Defeat },
            new() { PlayerId = 2, Result = first ? Outcome.Defeat : Outcome.Victory },
        ];
        _simulation.Commands.Say(first ? 2 : 1, "gg");
        var ended = new MatchEvent.Types.MatchEnded();
        ended.PlayerResult.AddRange(results);
        _events.Add(new MatchEvent { GameLoop = GameLoop, MatchEnded = ended });
        return results;
    }
}
