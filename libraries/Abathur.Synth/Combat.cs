using SC2APIProtocol;

namespace Abathur.Synth;

/// <summary>Selects targets, applies damage, and regenerates health and shields.</summary>
internal sealed class Combat(World world, Movement movement)
{
    private const int BucketShift = 15;
    private const int BucketsPerSide = 33;
    private const int ZergRegeneration = 70;
    private const int ShieldRegeneration = 512;
    private const int EnergyRegeneration = 144;
    private const int ShieldDelayLoops = 160;
    private const uint AttackAbility = 23;
    private const uint BileEffect = 11;

    private readonly List<SimUnit>[] _buckets = MakeBuckets();

    /// <summary>Sorts everything that can be hit into squares of 8 by 8 cells.</summary>
    public void Index()
    {
        foreach (var bucket in _buckets) bucket.Clear();
        foreach (var unit in world.Units)
        {
            if (unit.Owner == World.NeutralOwner || unit.IsInside || unit.Type.Role is UnitRole.Larva) continue;
            _buckets[(unit.Y >> BucketShift) * BucketsPerSide + (unit.X >> BucketShift)].Add(unit);
        }
    }

    /// <summary>Regeneration, cooldown and timed buffs.</summary>
    public void Recover(SimUnit unit)
    {
        var type = unit.Type;
        if (unit.Cooldown > 0) unit.Cooldown = Math.Max(unit.Cooldown - Fixed.One, 0);
        if (unit.Buff != 0 && --unit.BuffRemain <= 0) unit.Buff = 0;
        if (!unit.IsFinished) return;
        if (type.Race == Race.Zerg && unit.Health < type.HealthFixed)
        {
            var healed = Math.Min(ZergRegeneration, type.HealthFixed - unit.Health);
            unit.Health += healed;
            world.PlayerOf(unit).Score.Healed += healed;
        }

        if (unit.Shield < type.ShieldFixed && world.Loop - unit.LastFight > ShieldDelayLoops)
            unit.Shield = Math.Min(unit.Shield + ShieldRegeneration, type.ShieldFixed);
        if (type.Energy > 0) unit.Energy = Math.Min(unit.Energy + EnergyRegeneration, type.Energy * Fixed.One);
    }

    /// <summary>One game loop of an armed unit: chase and hit.</summary>
    /// <returns>True while it has a target.</returns>
    public bool Fight(SimUnit unit)
    {
        var weapon = unit.Type.Weapon!;
        if (unit.Target is { } old && (!old.IsAlive || old.IsInside || IsTooFar(unit, old))) Forget(unit);
        if (unit.Target is null && (world.Loop + (int)(unit.Tag >> 18)) % 4 == 0) Acquire(unit, weapon);
        if (unit.Target is not { } target) return false;

        var reach = weapon.RangeFixed + unit.Type.RadiusFixed + target.Type.RadiusFixed;
        var near = Fixed.Distance(target.X - unit.X, target.Y - unit.Y) <= reach;
        if (!near && !unit.Type.IsStructure) near = movement.Towards(unit, target.X, target.Y, reach);
        if (!near) return true;
        Movement.Face(unit, target);
        if (unit.Cooldown > 0) return true;
        Hit(unit, target, weapon);
        return true;
    }

    /// <summary>Applies the damage of spells that end now.</summary>
    public void EndEffects()
    {
        for (var i = world.Effects.Count - 1; i >= 0; i--)
        {
            var effect = world.Effects[i];
            if (effect.EndLoop > world.Loop) continue;
            world.Effects.RemoveAt(i);
            foreach (var unit in world.Units)
            {
                if (unit.Owner is 1 or 2 && unit.IsAlive && !unit.IsInside
                    && Fixed.Distance(unit.X - effect.X, unit.Y - effect.Y) < (int)(effect.Radius * Fixed.One) + unit.Type.RadiusFixed)
                    Damage(unit, 60 * Fixed.One, world.Players[effect.Owner - 1]);
            }
        }
    }

    private static bool IsTooFar(SimUnit unit, SimUnit target)
    {
        var leash = unit.Type.Weapon!.RangeFixed
            + unit.Type.RadiusFixed
            + target.Type.RadiusFixed
            + (unit.Type.IsStructure ? 0 : 5 * Fixed.One);
        return Fixed.Distance(target.X - unit.X, target.Y - unit.Y) > leash;
    }

    private static void Forget(SimUnit unit)
    {
        if (unit.Order.Target == unit.Target && unit.Task == UnitTask.Idle) unit.Order = default;
        unit.Target = null;
    }

    private void Acquire(SimUnit unit, WeaponType weapon)
    {
        var radius = weapon.RangeFixed + unit.Type.RadiusFixed + (unit.Type.IsStructure ? 0 : 4 * Fixed.One);
        SimUnit? best = null;
        var bestScore = int.MaxValue;
        int fromX = Math.Max((unit.X - radius) >> BucketShift, 0), toX = (unit.X + radius) >> BucketShift;
        int fromY = Math.Max((unit.Y - radius) >> BucketShift, 0), toY = (unit.Y + radius) >> BucketShift;
        for (var y = fromY; y <= Math.Min(toY, BucketsPerSide - 1); y++)
        {
            for (var x = fromX; x <= Math.Min(toX, BucketsPerSide - 1); x++)
            {
                foreach (var other in _buckets[y * BucketsPerSide + x])
                {
                    if (other.Owner == unit.Owner || !other.IsAlive || other.Type.IsBurrowed) continue;
                    // One unit in three stops for harmless buildings; the others go on.
                    if (other.Type is { IsStructure: true, Weapon: null } && (unit.Tag >> 18) % 3 != 0) continue;
                    if (other.Type.IsFlying ? !weapon.HitsAir : !weapon.HitsGround) continue;
                    var distance = Fixed.Distance(other.X - unit.X, other.Y - unit.Y) - other.Type.RadiusFixed;
                    if (distance > radius) continue;
                    // Near ones first, wounded ones before whole ones, workers and buildings last.
                    var whole = (int)((long)other.Health * 3 * Fixed.One / other.Type.HealthFixed);
                    var score = whole + (other.Type.Weapon is null
                        || other.Type.Role == UnitRole.Worker ? distance + 8 * Fixed.One : distance);
                    if (score >= bestScore) continue;
                    best = other;
                    bestScore = score;
                }
            }
        }

        if (best is null) return;
        unit.Target = best;
        if (unit.Task == UnitTask.Idle && !unit.Type.IsStructure) unit.Order = SimOrder.On(AttackAbility, best);
    }

    private void Hit(SimUnit unit, SimUnit target, WeaponType weapon)
    {
        var player = world.PlayerOf(unit);
        unit.Cooldown = weapon.CooldownFixed + world.Random.Below(Fixed.One);
        unit.LastFight = world.Loop;
        var armor = target.Type.Armor + world.PlayerOf(target).ArmorLevel;
        var each = Math.Max((weapon.Damage + player.AttackLevel - armor) * Fixed.One, Fixed.One / 2);
        Damage(target, each * weapon.Attacks, player);
        if (unit.Type == UnitTypes.Baneling) world.Remove(unit, killed: true);
        if (unit.Type == UnitTypes.Ravager && world.Random.Chance(150) && target.IsAlive)
            world.Effects.Add(new SpellEffect(BileEffect, target.X, target.Y, unit.Owner, 0.5f, world.Loop + 40));
    }

    private void Damage(SimUnit target, int damage, Player by)
    {
        var owner = world.PlayerOf(target);
        target.LastFight = world.Loop;
        if (target.Owner == 1) world.Alert(owner, target.Type.IsStructure ? Alert.BuildingUnderAttack : Alert.UnitUnderAttack);
        // The side with the much smaller army takes less damage, so that a match lasts for the requested time.
        var weak = owner.ArmyHalves * 2 < by.ArmyHalves;
        if (weak) damage = damage * 2 / 3;
        if (target.Type.IsStructure || target.Type.Role is UnitRole.Worker or UnitRole.Queen) damage /= weak ? 6 : 2;
        var shield = Math.Min(target.Shield, damage);
        var life = Math.Min(target.Health, damage - shield);
        target.Shield -= shield;
        target.Health -= life;
        by.Score.DamageDealtShields += shield;
        by.Score.DamageDealtLife += life;
        owner.Score.DamageTakenShields += shield;
        owner.Score.DamageTakenLife += life;
        if (target.Health <= 0) world.Remove(target, killed: true);
    }

    private static List<SimUnit>[] MakeBuckets()
    {
        var buckets = new List<SimUnit>[BucketsPerSide * BucketsPerSide];
        for (var i = 0; i < buckets.Length; i++) buckets[i] = [];
        return buckets;
    }
}
