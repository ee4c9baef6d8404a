using SC2APIProtocol;

namespace Abathur.Synth;

/// <summary>One player's bank, counts and score.</summary>
internal sealed class Player(int id, Race race)
{
    public const int SupplyLimit = 200;

    private readonly Dictionary<uint, int> _counts = [];

    public int Id { get; } = id;
    public Race Race { get; } = race;
    public int Minerals { get; set; } = 50;
    public int Vespene { get; set; }

    /// <summary>In halves, including units in production.</summary>
    public int SupplyUsedHalves { get; set; }
    public int SupplyCap { get; set; }
    public int SupplyPending { get; set; }
    public int Workers { get; set; }
    public int WorkersPending { get; set; }

    /// <summary>Army supply, in halves.</summary>
    public int ArmyHalves { get; set; }
    public int ArmyCount { get; set; }

    public List<int> Upgrades { get; } = [];
    public int AttackLevel { get; set; }
    public int ArmorLevel { get; set; }
    public List<BaseSite> Bases { get; } = [];

    /// <summary>Where new army units gather.</summary>
    public int RallyX { get; set; }
    public int RallyY { get; set; }

    public SimScore Score { get; } = new();

    public int SupplyLeftHalves => Math.Min(SupplyCap, SupplyLimit) * 2 - SupplyUsedHalves;

    /// <summary>Units of a type, unfinished ones and those being made included.</summary>
    public int Count(UnitType type) => _counts.GetValueOrDefault(type.Id);

    public void Add(UnitType type, int change) => _counts[type.Id] = Count(type) + change;

    public bool CanPay(UnitType type, int times = 1) => Minerals >= type.Minerals * times && Vespene >= type.Vespene * times;

    public void Pay(int minerals, int vespene)
    {
        Minerals -= minerals;
        Vespene -= vespene;
        Score.SpentMinerals += minerals;
        Score.SpentVespene += vespene;
    }
}
