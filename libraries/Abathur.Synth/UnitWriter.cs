using Abathur.Protobuf.Wire;
using SC2APIProtocol;

namespace Abathur.Synth;

/// <summary>
/// Writes <c>SC2APIProtocol.Unit</c> as the game does: which fields are present depends on whose the unit is, whether it is
/// visible or a snapshot, and on its type. Fields stand in the order of their numbers.
/// </summary>
internal sealed class UnitWriter(World world, Commands commands, WireWriter wire)
{
    private const int UnitField = 2;
    private const float SnapshotZ = 1f / 65536;

    /// <summary>What player 1 remembers of a structure.</summary>
    public void WriteSnapshot(SimUnit unit)
    {
        var start = wire.Begin(UnitField);
        wire.WriteInt64(1, (int)DisplayType.Snapshot);
        WriteIdentity(unit, unit.SnapshotTag);
        wire.WriteFloat(7, 0);
        wire.WriteFloat(8, unit.Type.Radius);
        wire.WriteFloat(9, Progress(unit));
        wire.WriteInt64(10, (int)CloakState.CloakedUnknown);
        wire.WriteBool(12, commands.IsOnScreen(unit.X, unit.Y));
        wire.WriteBool(13, false);
        wire.WriteBool(35, false);
        wire.End(start);
    }

    /// <summary>A unit in sight.</summary>
    public void WriteVisible(SimUnit unit)
    {
        var own = unit.Owner == 1;
        var type = unit.Type;
        var start = wire.Begin(UnitField, own ? 2 : 1);
        wire.WriteInt64(1, (int)DisplayType.Visible);
        WriteIdentity(unit, unit.Tag);
        if (type.WritesFacing) wire.WriteFloat(7, Fixed.FacingToFloat(unit.Facing));
        wire.WriteFloat(8, type.Radius);
        wire.WriteFloat(9, Progress(unit));
        wire.WriteInt64(10, (int)CloakState.NotCloaked);
        wire.WriteBool(11, unit.IsSelected);
        wire.WriteBool(12, commands.IsOnScreen(unit.X, unit.Y));
        wire.WriteBool(13, false);
        wire.WriteFloat(14, Fixed.ToFloat(unit.Health));
        wire.WriteFloat(15, type.Health);
        wire.WriteFloat(16, Fixed.ToFloat(unit.Shield));
        wire.WriteFloat(17, Fixed.ToFloat(unit.Energy));
        if (unit.Contents > 0) wire.WriteInt64(type.Role == UnitRole.Neutral && unit.Type != UnitTypes.VespeneGeyser ? 18 : 19, unit.Contents);
        wire.WriteBool(20, type.IsFlying);
        wire.WriteBool(21, type.IsBurrowed);
        if (own) WriteOrders(unit);
        if (own && type.CargoMax > 0) WriteCargo(unit);
        if (unit.Carries != 0) wire.WriteUInt64(27, unit.Carries);
        if (unit.Buff != 0) wire.WriteUInt64(27, unit.Buff);
        if (own)
        {
            wire.WriteInt64(28, type.Role is UnitRole.TownHall or UnitRole.GasBuilding ? unit.Harvesters : 0);
            wire.WriteInt64(29, IdealHarvesters(unit));
            if (type.Weapon is not null) wire.WriteFloat(30, Fixed.ToFloat(unit.Cooldown));
        }

        if (type.DetectRange > 0) wire.WriteFloat(31, type.DetectRange);
        if (own && unit.Target is { IsAlive: true } target && unit.Cooldown > 0) wire.WriteUInt64(34, target.Tag);
        if (type.WritesPower || unit.HasGatheredGas) wire.WriteBool(35, type.Role is UnitRole.Production or UnitRole.Tech && type.Shield > 0);
        wire.WriteFloat(36, type.Shield);
        wire.WriteFloat(37, type.Energy);
        wire.WriteBool(38, false);
        wire.WriteBool(39, own ? unit.HasOrder : unit.Task == UnitTask.Produce);
        WriteLevels(unit);
        if (unit.Buff != 0)
        {
            wire.WriteInt64(43, unit.BuffRemain);
            wire.WriteInt64(44, unit.BuffMax);
        }

        if (own && type.Role == UnitRole.TownHall && unit.IsFinished) WriteRally(unit);
        wire.End(start);
    }

    private static float Progress(SimUnit unit) => unit.IsFinished ? 1 : unit.BuildLoops / (float)unit.BuildTotal;

    private static int IdealHarvesters(SimUnit unit) => unit.Type.Role switch
    {
        UnitRole.TownHall when unit.IsFinished => unit.Site!.Minerals.Count * 2,
        UnitRole.GasBuilding when unit.Contents > 0 => 3,
        _ => 0,
    };

    private void WriteIdentity(SimUnit unit, ulong tag)
    {
        wire.WriteInt64(2, (int)(unit.Owner == 1 ? Alliance.Self : unit.Owner == 2 ? Alliance.Enemy : Alliance.Neutral));
        wire.WriteUInt64(3, tag);
        wire.WriteUInt64(4, unit.Type.Id);
        wire.WriteInt64(5, unit.Owner);
        var pos = wire.Begin(6);
        WritePoint(unit.X, unit.Y);
        wire.WriteFloat(3, unit.Z * SnapshotZ);
        wire.End(pos);
    }

    private void WritePoint(int x, int y)
    {
        wire.WriteFloat(1, Fixed.ToFloat(x));
        wire.WriteFloat(2, Fixed.ToFloat(y));
    }

    private void WriteOrders(SimUnit unit)
    {
        if (!unit.HasOrder) return;
        var order = unit.Order;
        var start = wire.Begin(22);
        wire.WriteUInt64(1, order.Ability);
        if (order.HasPoint)
        {
            var point = wire.Begin(2);
            WritePoint(order.X, order.Y);
            wire.WriteFloat(3, world.Map.GroundZ(order.X, order.Y) * SnapshotZ);
            wire.End(point);
        }

        if (order.Target is { } target) wire.WriteUInt64(3, target.IsSeen || !target.HasSnapshot ? target.Tag : target.SnapshotTag);
        if (order.Total > 0) wire.WriteFloat(4, 1 - unit.Timer / (float)order.Total);
        wire.End(start);
    }

    private void WriteCargo(SimUnit unit)
    {
        var taken = 0;
        foreach (var passenger in unit.Passengers ?? [])
        {
            var start = wire.Begin(24);
            wire.WriteUInt64(1, passenger.Tag);
            wire.WriteFloat(2, Fixed.ToFloat(passenger.Health));
            wire.WriteFloat(3, passenger.Type.Health);
            wire.WriteFloat(4, Fixed.ToFloat(passenger.Shield));
            wire.WriteFloat(5, Fixed.ToFloat(passenger.Energy));
            wire.WriteUInt64(6, passenger.Type.Id);
            wire.WriteFloat(7, passenger.Type.Shield);
            wire.WriteFloat(8, passenger.Type.Energy);
            wire.End(start);
            taken += passenger.Type.CargoSize;
        }

        wire.WriteInt64(25, taken);
        wire.WriteInt64(26, unit.Type.CargoMax);
    }

    private void WriteLevels(SimUnit unit)
    {
        var player = unit.Owner == World.NeutralOwner ? null : world.PlayerOf(unit);
        var army = unit.Type.Role is UnitRole.Army or UnitRole.Queen;
        if (unit.Type.Weapon is not null) wire.WriteInt64(40, army ? player!.AttackLevel : 0);
        wire.WriteInt64(41, army ? player!.ArmorLevel : 0);
        wire.WriteInt64(42, 0);
    }

    private void WriteRally(SimUnit unit)
    {
        var start = wire.Begin(45);
        var point = wire.Begin(1);
        var mineral = unit.Site!.Minerals.Count > 0 ? unit.Site.Minerals[0] : null;
        WritePoint(mineral?.X ?? unit.X, mineral?.Y ?? unit.Y);
        wire.End(point);
        if (mineral is not null) wire.WriteUInt64(2, mineral.Tag);
        wire.End(start);
    }
}
