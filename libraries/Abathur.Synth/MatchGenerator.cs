using Abathur.Sc2;
using SC2APIProtocol;
using MatchEvent = Abathur.Sync.V1.Event;
using Outcome = SC2APIProtocol.Result;

namespace Abathur.Synth;

/// <summary>
/// Simulates a match of two computer players, Zerg against Protoss, and gives what player 1 observes. No game is involved and
/// nothing is read: everything follows from the options, the same on every machine. Not safe for concurrent use.
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

    /// <summary>What has happened to the match since the frame before.</summary>
    public IReadOnlyList<MatchEvent> Events => _events;

    internal Simulation Simulation => _simulation;

    /// <summary>Goes on to the next frame, the first time to the first.</summary>
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

    /// <summary>What a player told the game since the frame before, player id 1 or 2; no actions where it told nothing.</summary>
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
