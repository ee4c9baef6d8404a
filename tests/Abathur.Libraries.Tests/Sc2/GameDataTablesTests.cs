using Google.Protobuf;
using SC2APIProtocol;

namespace Abathur.Sc2.Tests;

public class GameDataTablesTests
{
    private static readonly ResponseData Data = GameDataTables.ToResponseData();

    [Fact]
    public void ToResponseData_Tables_HaveEveryIdOnceAndInOrder()
    {
        Assert.Equal(Enumerable.Range(0, 2005).Select(id => (uint)id), Data.Units.Select(unit => unit.UnitId));
        Assert.Equal(Enumerable.Range(0, 4134).Select(id => (uint)id), Data.Abilities.Select(ability => ability.AbilityId));
        Assert.Equal(Enumerable.Range(0, 306).Select(id => (uint)id), Data.Upgrades.Select(upgrade => upgrade.UpgradeId));
        Assert.Equal(Enumerable.Range(0, 303).Select(id => (uint)id), Data.Buffs.Select(buff => buff.BuffId));
        Assert.Equal(Enumerable.Range(0, 13).Select(id => (uint)id), Data.Effects.Select(effect => effect.EffectId));
    }

    [Fact]
    public void ToResponseData_EachKindOfCell_IsRead()
    {
        var tank = Data.Units[32];
        Assert.Equal(("SiegeTankSieged", true, Race.Terran, 68.66797f), (tank.Name, tank.Available, tank.Race, tank.BuildTime));
        Assert.Equal([33u], tank.TechAlias);
        Assert.Equal([SC2APIProtocol.Attribute.Armored, SC2APIProtocol.Attribute.Mechanical], tank.Attributes);
        var weapon = Assert.Single(tank.Weapons);
        Assert.Equal(
            (Weapon.Types.TargetType.Ground, 400f, 1u, 13f, 3f), (weapon.Type, weapon.Damage, weapon.Attacks, weapon.Range, weapon.Speed));
        Assert.Equal(new DamageBonus { Attribute = SC2APIProtocol.Attribute.Armored, Bonus = 300 }, Assert.Single(weapon.DamageBonus));
        Assert.Equal([Weapon.Types.TargetType.Air, Weapon.Types.TargetType.Ground], Data.Units[126].Weapons.Select(each => each.Type));
        // Set and empty, set to false, and not set.
        Assert.Equal((true, "", false, false), (Data.Units[0].HasName, Data.Units[0].Name, Data.Units[0].Available, Data.Units[0].HasRace));
    }

    [SharedFact("observations")]
    public void ToResponseData_RealGame_IsEqual() =>
        Assert.Equal(File.ReadAllBytes(SharedData.PathTo("observations", "game_data.binpb")), Data.ToByteArray());
}
