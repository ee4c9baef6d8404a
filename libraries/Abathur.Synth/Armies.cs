namespace Abathur.Synth;

/// <summary>Gathers an army at the rally point, sends it out in waves, and retreats.</summary>
internal sealed class Armies(World world, Commands commands)
{
    private const uint AttackAbility = 23;
    private const uint MoveAbility = 16;
    private const int RetreatLoops = 1300;
    private const int MaxThresholdHalves = 150;
    private const int MaxWaveUnits = 36;
    private const int MinLoops = 350;

    private readonly Wave[] _waves = [new(), new()];

    // A short match has no time to gather large armies.
    private bool IsHasty => world.Options.Start == MatchStart.MidGame;

    /// <summary>Updates one player's army; called every 16 game loops.</summary>
    public void Step(Player player)
    {
        var wave = _waves[player.Id - 1];
        var army = world.Units.FindAll(unit => unit.Owner == player.Id
            && unit.Type.Role == UnitRole.Army
            && unit.Type.Weapon is not null
            && unit.IsAlive);
        Rally(player, army);
        Defend(player, army);
        if (wave.Number == 0 || !army.Exists(unit => unit.Wave == wave.Number)) Launch(player, army, wave);
        else Steer(player, army, wave);
    }

    // Sends out all units at home once there are enough.
    private void Launch(Player player, List<SimUnit> army, Wave wave)
    {
        var group = army.FindAll(static unit => unit.Wave == 0);
        var halves = group.Sum(static unit => unit.Type.SupplyHalves);
        if (halves < wave.ThresholdHalves || world.Loop < wave.NotBefore || Target(player) is not { } site) return;
        if (!IsHasty) wave.ThresholdHalves = Math.Min(wave.ThresholdHalves + 16, MaxThresholdHalves);
        Launch(player, group.Count > MaxWaveUnits ? group[..MaxWaveUnits] : group, site.X, site.Y);
    }

    /// <summary>Makes a group the player's next wave, with its first target in 1/4096 cell.</summary>
    public void Launch(Player player, List<SimUnit> group, int x, int y)
    {
        var wave = _waves[player.Id - 1];
        wave.Number++;
        wave.Size = group.Count;
        wave.StartLoop = world.Loop;
        foreach (var unit in group) unit.Wave = wave.Number;
        Send(group, UnitTask.AttackMove, AttackAbility, x, y);
    }

    /// <summary>Gives a group one target, each unit its own place around it.</summary>
    public void Send(List<SimUnit> group, UnitTask task, uint ability, int x, int y)
    {
        if (group.Count == 0) return;
        var spread = 1400 + (int)(Math.Sqrt(group.Count) * 2600);
        foreach (var unit in group)
        {
            unit.Task = task;
            unit.Target = null;
            var px = MapLayout.Clamp(x + world.Random.Between(-spread, spread), world.Map.Width);
            var py = MapLayout.Clamp(y + world.Random.Between(-spread, spread), world.Map.Height);
            unit.Order = SimOrder.At(ability, px, py);
        }

        commands.Order(group, SimOrder.At(ability, x, y));
    }

    // New units walk to the rally point once.
    private void Rally(Player player, List<SimUnit> army)
    {
        var fresh = army.FindAll(unit => unit is { Wave: 0, Task: UnitTask.Idle, Target: null }
            && Fixed.Distance(unit.X - player.RallyX, unit.Y - player.RallyY) > 14 * Fixed.One);
        Send(fresh, UnitTask.AttackMove, AttackAbility, player.RallyX, player.RallyY);
    }

    private void Defend(Player player, List<SimUnit> army)
    {
        var struck = world.Units.Find(unit => unit.Owner == player.Id
            && unit.Type.IsStructure
            && world.Loop - unit.LastFight < 16
            && unit.Type.Role != UnitRole.CreepTumor);
        if (struck is null) return;
        var guard = army.FindAll(unit => unit is { Wave: 0, Target: null }
            && Fixed.Distance(unit.Order.X - struck.X, unit.Order.Y - struck.Y) > 12 * Fixed.One);
        Send(guard, UnitTask.AttackMove, AttackAbility, struck.X, struck.Y);
    }

    private void Steer(Player player, List<SimUnit> army, Wave wave)
    {
        var group = army.FindAll(unit => unit.Wave == wave.Number);
        // Retreat when most units are dead, when the attack takes too long, or when the enemy has no army left.
        var won = world.EnemyOf(player).ArmyHalves * 4 < player.ArmyHalves && world.Loop - wave.StartLoop > MinLoops;
        if (group.Count * 100 < wave.Size * 35 || world.Loop - wave.StartLoop > RetreatLoops || won)
        {
            foreach (var unit in group) unit.Wave = 0;
            Send(group, UnitTask.Move, MoveAbility, player.RallyX, player.RallyY);
            wave.NotBefore = world.Loop + (IsHasty ? 60 : 500);
            return;
        }

        var idle = group.FindAll(static unit => unit is { Task: UnitTask.Idle, Target: null });
        if (world.Random.Chance(400) && group.Find(static unit => unit.Target is not null) is { Target: { } target })
            Send(group.FindAll(_ => world.Random.Chance(200)), UnitTask.AttackMove, AttackAbility, target.X, target.Y);
        if (idle.Count * 2 > group.Count && Target(player) is { } next) Send(idle, UnitTask.AttackMove, AttackAbility, next.X, next.Y);
    }

    // The enemy's base nearest to the player's own, and sometimes another one.
    private BaseSite? Target(Player player)
    {
        var enemy = world.EnemyOf(player);
        var home = world.Map.Sites[player.Id - 1];
        BaseSite? best = null;
        var bestDistance = int.MaxValue;
        foreach (var site in enemy.Bases)
        {
            var distance = Fixed.Distance(site.X - home.X, site.Y - home.Y) + world.Random.Below(30) * Fixed.One;
            if (distance >= bestDistance) continue;
            best = site;
            bestDistance = distance;
        }

        return best;
    }

    /// <summary>An attack under way.</summary>
    private sealed class Wave
    {
        /// <summary>0 before the first.</summary>
        public int Number { get; set; }
        public int Size { get; set; }
        public int StartLoop { get; set; }

        /// <summary>Supply at home that starts the next wave, in halves.</summary>
        public int ThresholdHalves { get; set; } = 32;
        public int NotBefore { get; set; }
    }
}
