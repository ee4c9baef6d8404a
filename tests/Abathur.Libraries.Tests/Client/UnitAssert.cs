using SC2APIProtocol;

namespace Abathur.Client.Tests;

/// <summary>Compares a frame with the message that it was made from.</summary>
internal static class UnitAssert
{
    /// <summary>Asserts that a frame has the observation: the message, each column, the parts of units, and the grids.</summary>
    public static void Equal(ResponseObservation expected, GameFrame frame, bool isOrdered)
    {
        var units = frame.Units;
        var order = expected.Observation.RawData.Units.ToList();
        Assert.Equal(order.Count, units.Count);
        Assert.Equal(expected.Observation.GameLoop, frame.GameLoop);
        if (!isOrdered)
        {
            var byTag = order.ToDictionary(unit => unit.Tag);
            order = [.. units.Tag.ToArray().Select(tag => byTag[tag])];
            var sorted = expected.Clone();
            sorted.Observation.RawData.Units.Clear();
            sorted.Observation.RawData.Units.AddRange(order);
            expected = sorted;
        }
        Assert.Equal(expected, frame.Response);
        for (var row = 0; row < units.Count; row++) Equal(order[row], units, row);
        var state = expected.Observation.RawData.MapState;
        Equal(state?.Visibility, frame.Grids.Visibility);
        Equal(state?.Creep, frame.Grids.Creep);
    }

    private static void Equal(Unit unit, UnitColumns units, int row)
    {
        Assert.Equal(
            (unit.Tag, unit.UnitType, unit.Owner, unit.Alliance, unit.DisplayType, unit.Cloak),
            (units.Tag[row], units.UnitType[row], units.Owner[row], units.Alliance[row], units.DisplayType[row], units.Cloak[row]));
        Assert.Equal(
            (unit.Pos.X, unit.Pos.Y, unit.Pos.Z, unit.Facing, unit.Radius, unit.BuildProgress, unit.DetectRange, unit.RadarRange),
            (units.X[row], units.Y[row], units.Z[row], units.Facing[row], units.Radius[row], units.BuildProgress[row],
            units.DetectRange[row], units.RadarRange[row]));
        Assert.Equal(
            (unit.Health, unit.HealthMax, unit.Shield, unit.ShieldMax, unit.Energy, unit.EnergyMax, unit.WeaponCooldown),
            (units.Health[row], units.HealthMax[row], units.Shield[row], units.ShieldMax[row], units.Energy[row], units.EnergyMax[row],
            units.WeaponCooldown[row]));
        Assert.Equal(
            (unit.MineralContents, unit.VespeneContents, unit.AssignedHarvesters, unit.IdealHarvesters, unit.CargoSpaceTaken,
            unit.CargoSpaceMax, unit.BuffDurationRemain, unit.BuffDurationMax),
            (units.MineralContents[row], units.VespeneContents[row], units.AssignedHarvesters[row], units.IdealHarvesters[row],
            units.CargoSpaceTaken[row], units.CargoSpaceMax[row], units.BuffDurationRemain[row], units.BuffDurationMax[row]));
        Assert.Equal(
            (unit.AttackUpgradeLevel, unit.ArmorUpgradeLevel, unit.ShieldUpgradeLevel, unit.EngagedTargetTag, unit.AddOnTag),
            (units.AttackUpgradeLevel[row], units.ArmorUpgradeLevel[row], units.ShieldUpgradeLevel[row], units.EngagedTargetTag[row],
            units.AddOnTag[row]));
        Assert.Equal(
            (unit.IsFlying, unit.IsBurrowed, unit.IsHallucination, unit.IsOnScreen, unit.IsSelected, unit.IsBlip, unit.IsPowered,
            unit.IsActive),
            (units.IsFlying[row], units.IsBurrowed[row], units.IsHallucination[row], units.IsOnScreen[row], units.IsSelected[row],
            units.IsBlip[row], units.IsPowered[row], units.IsActive[row]));
        Assert.Equal(
            (unit.HasHealth, unit.HasShield, unit.HasEnergy, unit.HasOwner, unit.HasIsBlip, unit.HasMineralContents),
            (units.Has(UnitField.Health, row), units.Has(UnitField.Shield, row), units.Has(UnitField.Energy, row),
            units.Has(UnitField.Owner, row), units.Has(UnitField.IsBlip, row), units.Has(UnitField.MineralContents, row)));
        Assert.Equal(unit.BuffIds, units[row].Buffs.ToArray());
        var orders = units.Orders;
        Assert.Equal(
            unit.Orders.Select(each => (each.AbilityId, each.TargetUnitTag, each.TargetWorldSpacePos?.X ?? 0, each.Progress)),
            Rows(orders.Of(row)).Select(i => (orders.AbilityId[i], orders.TargetUnitTag[i], orders.TargetX[i], orders.Progress[i])));
        var passengers = units.Passengers;
        Assert.Equal(
            unit.Passengers.Select(each => (each.Tag, each.UnitType, each.Health, each.Shield)),
            Rows(passengers.Of(row)).Select(i => (passengers.Tag[i], passengers.UnitType[i], passengers.Health[i], passengers.Shield[i])));
        var targets = units.RallyTargets;
        Assert.Equal(
            unit.RallyTargets.Select(each => (each.Point.X, each.Point.Y, each.Tag)),
            Rows(targets.Of(row)).Select(i => (targets.X[i], targets.Y[i], targets.Tag[i])));
    }

    private static void Equal(ImageData? expected, Grid grid)
    {
        Assert.Equal((expected?.Size?.X ?? 0, expected?.Size?.Y ?? 0), (grid.Width, grid.Height));
        if (expected is not null) Assert.Equal(expected.Data.ToByteArray(), grid.Data.ToArray());
    }

    private static IEnumerable<int> Rows(Range range) => Enumerable.Range(range.Start.Value, range.End.Value - range.Start.Value);
}
