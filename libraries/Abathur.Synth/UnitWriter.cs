using Abathur.Protobuf.Wire;
using SC2APIProtocol;

namespace Abathur.Synth;

/// <summary>
/// Writes <c>SC2APIProtocol.Unit</c> as the game does: which fields are present depends on the owner of the unit, on whether it
/// is visible or a snapshot, and on its type. Fields are in the order of their numbers.
/// </summary>
internal sealed class UnitWriter(World world, Commands commands, WireWriter wire)
{
    private const float SnapshotZ = 1f / 65536;

    /// <summary>Writes a snapshot of a structure.</summary>
    public void WriteSnapshot(SimUnit unit)
    {
        var start = wire.Begin(ObservationRaw.UnitsFieldNumber);
        wire.WriteInt64(Unit.DisplayTypeFieldNumber, (int)DisplayType.Snapshot);
        WriteIdentity(unit, unit.SnapshotTag);
        wire.WriteFloat(Unit.FacingFieldNumber, 0);
        wire.WriteFloat(Unit.RadiusFieldNumber, unit.Type.Radius);
        wire.WriteFloat(Unit.BuildProgressFieldNumber, Progress(unit));
        wire.WriteInt64(Unit.CloakFieldNumber, (int)CloakState.CloakedUnknown);
        wire.WriteBool(Unit.IsOnScreenFieldNumber, commands.IsOnScreen(unit.X, unit.Y));
        wire.WriteBool(Unit.IsBlipFieldNumber, false);
        wire.WriteBool(Unit.IsPoweredFieldNumber, false);
        wire.End(start);
    }

    /// <summary>Writes a visible unit.</summary>
    public void WriteVisible(SimUnit unit)
    {
        var own = unit.Owner == 1;
        var type = unit.Type;
        var start = wire.Begin(ObservationRaw.UnitsFieldNumber, own ? 2 : 1);
        wire.WriteInt64(Unit.DisplayTypeFieldNumber, (int)DisplayType.Visible);
        WriteIdentity(unit, unit.Tag);
        if (type.WritesFacing) wire.WriteFloat(Unit.FacingFieldNumber, Fixed.FacingToFloat(unit.Facing));
        wire.WriteFloat(Unit.RadiusFieldNumber, type.Radius);
        wire.WriteFloat(Unit.BuildProgressFieldNumber, Progress(unit));
        wire.WriteInt64(Unit.CloakFieldNumber, (int)CloakState.NotCloaked);
        wire.WriteBool(Unit.IsSelectedFieldNumber, unit.IsSelected);
        wire.WriteBool(Unit.IsOnScreenFieldNumber, commands.IsOnScreen(unit.X, unit.Y));
        wire.WriteBool(Unit.IsBlipFieldNumber, false);
        wire.WriteFloat(Unit.HealthFieldNumber, Fixed.ToFloat(unit.Health));
        wire.WriteFloat(Unit.HealthMaxFieldNumber, type.Health);
        wire.WriteFloat(Unit.ShieldFieldNumber, Fixed.ToFloat(unit.Shield));
        wire.WriteFloat(Unit.EnergyFieldNumber, Fixed.ToFloat(unit.Energy));
        if (unit.Contents > 0)
            wire.WriteInt64(type.Role == UnitRole.Neutral
                && unit.Type != UnitTypes.VespeneGeyser ? Unit.MineralContentsFieldNumber : Unit.VespeneContentsFieldNumber, unit.Contents);
        wire.WriteBool(Unit.IsFlyingFieldNumber, type.IsFlying);
        wire.WriteBool(Unit.IsBurrowedFieldNumber, type.IsBurrowed);
        if (own) WriteOrders(unit);
        if (own && type.CargoMax > 0) WriteCargo(unit);
        if (unit.Carries != 0) wire.WriteUInt64(Unit.BuffIdsFieldNumber, unit.Carries);
        if (unit.Buff != 0) wire.WriteUInt64(Unit.BuffIdsFieldNumber, unit.Buff);
        if (own)
        {
            wire.WriteInt64(Unit.AssignedHarvestersFieldNumber, type.Role is UnitRole.TownHall
                or UnitRole.GasBuilding ? unit.Harvesters : 0);
            wire.WriteInt64(Unit.IdealHarvestersFieldNumber, IdealHarvesters(unit));
            if (type.Weapon is not null) wire.WriteFloat(Unit.WeaponCooldownFieldNumber, Fixed.ToFloat(unit.Cooldown));
        }

        if (type.DetectRange > 0) wire.WriteFloat(Unit.DetectRangeFieldNumber, type.DetectRange);
        if (own && unit.Target is { IsAlive: true } target && unit.Cooldown > 0)
            wire.WriteUInt64(Unit.EngagedTargetTagFieldNumber, target.Tag);
        if (type.WritesPower || unit.HasGatheredGas)
            wire.WriteBool(Unit.IsPoweredFieldNumber, type.Role is UnitRole.Production or UnitRole.Tech && type.Shield > 0);
        wire.WriteFloat(Unit.ShieldMaxFieldNumber, type.Shield);
        wire.WriteFloat(Unit.EnergyMaxFieldNumber, type.Energy);
        wire.WriteBool(Unit.IsHallucinationFieldNumber, false);
        wire.WriteBool(Unit.IsActiveFieldNumber, own ? unit.HasOrder : unit.Task == UnitTask.Produce);
        WriteLevels(unit);
        if (unit.Buff != 0)
        {
            wire.WriteInt64(Unit.BuffDurationRemainFieldNumber, unit.BuffRemain);
            wire.WriteInt64(Unit.BuffDurationMaxFieldNumber, unit.BuffMax);
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
        wire.WriteInt64(
            Unit.AllianceFieldNumber, (int)(unit.Owner == 1 ? Alliance.Self : unit.Owner == 2 ? Alliance.Enemy : Alliance.Neutral));
        wire.WriteUInt64(Unit.TagFieldNumber, tag);
        wire.WriteUInt64(Unit.UnitTypeFieldNumber, unit.Type.Id);
        wire.WriteInt64(Unit.OwnerFieldNumber, unit.Owner);
        var pos = wire.Begin(Unit.PosFieldNumber);
        WritePoint(unit.X, unit.Y);
        wire.WriteFloat(Point.ZFieldNumber, unit.Z * SnapshotZ);
        wire.End(pos);
    }

    private void WritePoint(int x, int y)
    {
        wire.WriteFloat(Point.XFieldNumber, Fixed.ToFloat(x));
        wire.WriteFloat(Point.YFieldNumber, Fixed.ToFloat(y));
    }

    private void WriteOrders(SimUnit unit)
    {
        if (!unit.HasOrder) return;
        var order = unit.Order;
        var start = wire.Begin(Unit.OrdersFieldNumber);
        wire.WriteUInt64(UnitOrder.AbilityIdFieldNumber, order.Ability);
        if (order.HasPoint)
        {
            var point = wire.Begin(UnitOrder.TargetWorldSpacePosFieldNumber);
            WritePoint(order.X, order.Y);
            wire.WriteFloat(Point.ZFieldNumber, world.Map.GroundZ(order.X, order.Y) * SnapshotZ);
            wire.End(point);
        }

        if (order.Target is { } target)
            wire.WriteUInt64(UnitOrder.TargetUnitTagFieldNumber, target.IsSeen || !target.HasSnapshot ? target.Tag : target.SnapshotTag);
        if (order.Total > 0) wire.WriteFloat(UnitOrder.ProgressFieldNumber, 1 - unit.Timer / (float)order.Total);
        wire.End(start);
    }

    private void WriteCargo(SimUnit unit)
    {
        var taken = 0;
        foreach (var passenger in unit.Passengers ?? [])
        {
            var start = wire.Begin(Unit.PassengersFieldNumber);
            wire.WriteUInt64(PassengerUnit.TagFieldNumber, passenger.Tag);
            wire.WriteFloat(PassengerUnit.HealthFieldNumber, Fixed.ToFloat(passenger.Health));
            wire.WriteFloat(PassengerUnit.HealthMaxFieldNumber, passenger.Type.Health);
            wire.WriteFloat(PassengerUnit.ShieldFieldNumber, Fixed.ToFloat(passenger.Shield));
            wire.WriteFloat(PassengerUnit.EnergyFieldNumber, Fixed.ToFloat(passenger.Energy));
            wire.WriteUInt64(PassengerUnit.UnitTypeFieldNumber, passenger.Type.Id);
            wire.WriteFloat(PassengerUnit.ShieldMaxFieldNumber, passenger.Type.Shield);
            wire.WriteFloat(PassengerUnit.EnergyMaxFieldNumber, passenger.Type.Energy);
            wire.End(start);
            taken += passenger.Type.CargoSize;
        }

        wire.WriteInt64(Unit.CargoSpaceTakenFieldNumber, taken);
        wire.WriteInt64(Unit.CargoSpaceMaxFieldNumber, unit.Type.CargoMax);
    }

    private void WriteLevels(SimUnit unit)
    {
        var player = unit.Owner == World.NeutralOwner ? null : world.PlayerOf(unit);
        var army = unit.Type.Role is UnitRole.Army or UnitRole.Queen;
        if (unit.Type.Weapon is not null) wire.WriteInt64(Unit.AttackUpgradeLevelFieldNumber, army ? player!.AttackLevel : 0);
        wire.WriteInt64(Unit.ArmorUpgradeLevelFieldNumber, army ? player!.ArmorLevel : 0);
        wire.WriteInt64(Unit.ShieldUpgradeLevelFieldNumber, 0);
    }

    private void WriteRally(SimUnit unit)
    {
        var start = wire.Begin(Unit.RallyTargetsFieldNumber);
        var point = wire.Begin(RallyTarget.PointFieldNumber);
        var mineral = unit.Site!.Minerals.Count > 0 ? unit.Site.Minerals[0] : null;
        WritePoint(mineral?.X ?? unit.X, mineral?.Y ?? unit.Y);
        wire.End(point);
        if (mineral is not null) wire.WriteUInt64(RallyTarget.TagFieldNumber, mineral.Tag);
        wire.End(start);
    }
}
