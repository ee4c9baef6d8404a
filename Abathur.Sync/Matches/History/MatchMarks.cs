using SC2APIProtocol;
using Mark = Abathur.Sync.V1.Timeline.Types.Mark;

namespace Abathur.Sync.Matches.History;

/// <summary>What happened when: fights, bases, upgrades, drawings, chat. Bounded. Not thread-safe.</summary>
internal sealed class MatchMarks
{
    /// <summary>Marks that are kept. With more, the oldest half is dropped.</summary>
    public const int MaxMarks = 4096;

    /// <summary>Deaths further apart in time or space are of another fight: 10 s, and about the width of a screen.</summary>
    public const uint FightLoops = 224;

    /// <summary>Messages of the chat that are marked in a match: who writes all the time does not push out what else happened.</summary>
    public const int MaxMessages = 1024;

    /// <summary>Characters of a message that are kept: the game allows no longer ones.</summary>
    private const int MaxMessageLength = 255;

    private const float FightCells = 25;

    /// <summary>Names of layers that are remembered.</summary>
    private const int MaxLayers = 1024;

    /// <summary>Resources that both sides lose in a fight at least: more than a scout.</summary>
    private const float LeastFightValue = 150;

    /// <summary>Deaths that are remembered until the unit may come back.</summary>
    private const int MaxDeaths = 1024;

    private readonly List<Mark> _marks = [];
    private readonly Queue<ulong> _deathOrder = [];
    private readonly Dictionary<ulong, (Mark Fight, KnownUnit Unit)> _deaths = [];
    private readonly HashSet<uint> _upgrades = [];
    private readonly Dictionary<string, (bool WasDrawn, uint? GameLoop)> _layers = new(StringComparer.Ordinal);
    private bool _knowsUpgrades;
    private int _messages;

    /// <summary>Adds a death.</summary>
    public void AddDeath(uint gameLoop, ulong tag, KnownUnit unit)
    {
        if (unit.Kind.Value == 0) return;
        if (unit.Kind.IsBase) AddAt(gameLoop, unit.IsEnemy ? "enemy_base_lost" : "base_lost", unit);
        var fight = _marks.FindLast(mark => IsSameFight(mark, gameLoop, unit));
        if (fight is null) Add(fight = new Mark { GameLoop = gameLoop, Kind = "fight", At = new Point2D { X = unit.X, Y = unit.Y } });
        fight.LastGameLoop = gameLoop;
        var before = fight.OwnLost + fight.EnemyLost;
        // The centre of what was lost.
        var share = unit.Kind.Value / (before + unit.Kind.Value);
        fight.At.X += (unit.X - fight.At.X) * share;
        fight.At.Y += (unit.Y - fight.At.Y) * share;
        AddLoss(fight, unit, unit.Kind.Value);
        if (_deaths.TryAdd(tag, (fight, unit))) _deathOrder.Enqueue(tag);
        if (_deathOrder.Count > MaxDeaths) _deaths.Remove(_deathOrder.Dequeue());
    }

    /// <summary>
    /// Takes a death back: the unit is there again. Workers that go into a building to gather vespene may be told as dead meanwhile.
    /// </summary>
    public void RemoveDeath(ulong tag)
    {
        if (_deaths.Remove(tag, out var death)) AddLoss(death.Fight, death.Unit, -death.Unit.Kind.Value);
    }

    /// <summary>Adds a town hall that was not known.</summary>
    public void AddBase(uint gameLoop, KnownUnit unit) => AddAt(gameLoop, unit.IsEnemy ? "enemy_base" : "base", unit);

    /// <summary>Adds the layers that are drawn now and were not before, each at most once in the time of a fight.</summary>
    public void AddLayers(uint gameLoop, IReadOnlySet<string> layers)
    {
        foreach (var layer in layers)
        {
            _layers.TryGetValue(layer, out var last);
            if (!last.WasDrawn && !(gameLoop - last.GameLoop <= FightLoops))
            {
                Add(new Mark { GameLoop = gameLoop, LastGameLoop = gameLoop, Kind = "drawing", Name = layer });
                last.GameLoop = gameLoop;
            }
            _layers[layer] = (true, last.GameLoop);
        }
        foreach (var gone in _layers.Where(layer => layer.Value.WasDrawn && !layers.Contains(layer.Key)).ToList())
            _layers[gone.Key] = (false, gone.Value.GameLoop);
        if (_layers.Count > MaxLayers) _layers.Clear();
    }

    /// <summary>Adds a message of the chat.</summary>
    public void AddChat(uint gameLoop, ChatReceived said)
    {
        if (_messages == MaxMessages) return;
        _messages++;
        var text = string.Concat(said.Message.EnumerateRunes().Take(MaxMessageLength));
        Add(new Mark { GameLoop = gameLoop, LastGameLoop = gameLoop, Kind = "chat", Id = said.PlayerId, Name = text });
    }

    /// <summary>Adds the upgrades that are new. Those of the first observation are not, unless the match begins with it.</summary>
    public void AddUpgrades(uint gameLoop, IEnumerable<uint> upgrades, bool isBeginning)
    {
        foreach (var upgrade in upgrades)
        {
            if (!_upgrades.Add(upgrade) || (!_knowsUpgrades && !isBeginning)) continue;
            Add(new Mark { GameLoop = gameLoop, LastGameLoop = gameLoop, Kind = "upgrade", Id = upgrade });
        }
        _knowsUpgrades = true;
    }

    /// <summary>The marks that have begun or changed after a game loop; 0: all.</summary>
    public IEnumerable<Mark> After(uint gameLoop) =>
        _marks.Where(mark => (gameLoop == 0 || mark.LastGameLoop > gameLoop) && IsWorthIt(mark)).Select(mark => mark.Clone());

    /// <summary>Removes what was from a game loop on.</summary>
    public void RemoveFrom(uint gameLoop)
    {
        _marks.RemoveAll(mark => mark.LastGameLoop >= gameLoop);
        _messages = _marks.Count(mark => mark.Kind == "chat");
        _upgrades.Clear();
        _knowsUpgrades = false;
        _layers.Clear();
        _deaths.Clear();
        _deathOrder.Clear();
    }

    private static void AddLoss(Mark fight, KnownUnit unit, float value)
    {
        if (unit.IsEnemy) fight.EnemyLost += value;
        else fight.OwnLost += value;
    }

    private void AddAt(uint gameLoop, string kind, KnownUnit unit) => Add(new Mark
    {
        GameLoop = gameLoop,
        LastGameLoop = gameLoop,
        Kind = kind,
        Id = unit.Type,
        At = new Point2D { X = unit.X, Y = unit.Y },
    });

    private static bool IsSameFight(Mark mark, uint gameLoop, KnownUnit unit)
    {
        if (mark.Kind != "fight" || gameLoop - mark.LastGameLoop > FightLoops) return false;
        var (dx, dy) = (mark.At.X - unit.X, mark.At.Y - unit.Y);
        return (dx * dx) + (dy * dy) <= FightCells * FightCells;
    }

    private static bool IsWorthIt(Mark mark) => mark.Kind != "fight" || mark.OwnLost + mark.EnemyLost >= LeastFightValue;

    private void Add(Mark mark)
    {
        if (_marks.Count == MaxMarks) _marks.RemoveRange(0, MaxMarks / 2);
        _marks.Add(mark);
    }
}
