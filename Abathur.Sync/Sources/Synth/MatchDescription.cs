using Google.Protobuf;
using SC2APIProtocol;
using Target = SC2APIProtocol.AbilityData.Types.Target;

namespace Abathur.Sync.Sources.Synth;

/// <summary>Makes <c>ResponseGameInfo</c> and <c>ResponseData</c> for a generated match.</summary>
internal static class MatchDescription
{
    public const string MapName = "Synthetic LE";

    /// <summary>Map grids, start locations and players, as the game gives them to player 1.</summary>
    public static ResponseGameInfo GameInfo(World world)
    {
        var map = world.Map;
        var raw = new StartRaw
        {
            MapSize = Size(map),
            PathingGrid = Bits(map, BlockedFor(world, buildings: false)),
            TerrainHeight = new ImageData { BitsPerPixel = 8, Size = Size(map), Data = ByteString.CopyFrom(map.TerrainHeight) },
            PlacementGrid = Bits(map, BlockedFor(world, buildings: true)),
            PlayableArea = new RectangleI
            {
                P0 = new PointI { X = MapLayout.Margin, Y = MapLayout.Margin },
                P1 = new PointI { X = map.Width - MapLayout.Margin, Y = map.Height - MapLayout.Margin },
            },
        };
        raw.StartLocations.Add(new Point2D { X = Fixed.ToFloat(map.Sites[1].X), Y = Fixed.ToFloat(map.Sites[1].Y) });
        var info = new ResponseGameInfo
        {
            MapName = MapName,
            LocalMapPath = "SyntheticLE.SC2Map",
            StartRaw = raw,
            Options = new InterfaceOptions
            {
                Raw = true,
                Score = true,
                ShowCloaked = true,
                ShowBurrowedShadows = true,
                ShowPlaceholders = true,
                RawAffectsSelection = true,
                RawCropToPlayableArea = false,
            },
        };
        foreach (var player in world.Players)
        {
            var description = new PlayerInfo { PlayerId = (uint)player.Id, Type = PlayerType.Participant, RaceRequested = player.Race, PlayerName = $"Synthetic {player.Race}" };
            if (player.Id == 1) description.RaceActual = player.Race;
            info.PlayerInfo.Add(description);
        }

        return info;
    }

    /// <summary>The unit types, abilities, upgrades, buffs and effects that occur.</summary>
    public static ResponseData GameData()
    {
        var data = new ResponseData();
        var abilities = new SortedDictionary<uint, AbilityData>();
        foreach (var (id, link, button, friendly, target) in Abilities.All) abilities[id] = Describe(id, button, friendly, target, link);
        foreach (var type in UnitTypes.All)
        {
            data.Units.Add(Describe(type));
            if (type.Ability != 0) abilities[type.Ability] = Describe(type.Ability, type.Name, $"{(type.IsStructure ? "Build" : "Train")} {type.Name}", TargetOf(type));
            if (type.Ability != 0) abilities[type.Ability].IsBuilding = type.IsStructure;
        }

        foreach (var upgrade in Upgrades.Zerg.Concat(Upgrades.Protoss).OrderBy(static upgrade => upgrade.Id))
        {
            data.Upgrades.Add(new UpgradeData
            {
                UpgradeId = (uint)upgrade.Id,
                Name = upgrade.Name,
                MineralCost = (uint)upgrade.Cost,
                VespeneCost = (uint)upgrade.Cost,
                ResearchTime = upgrade.Loops,
                AbilityId = upgrade.Ability,
            });
            abilities[upgrade.Ability] = Describe(upgrade.Ability, upgrade.Name, $"Research {upgrade.Name}", Target.None);
        }

        data.Abilities.AddRange(abilities.Values);
        data.Buffs.Add(new BuffData { BuffId = 11, Name = "QueenSpawnLarvaTimer" });
        data.Buffs.Add(new BuffData { BuffId = 271, Name = "CarryMineralFieldMinerals" });
        data.Buffs.Add(new BuffData { BuffId = 274, Name = "CarryHarvestableVespeneGeyserGasProtoss" });
        data.Buffs.Add(new BuffData { BuffId = 275, Name = "CarryHarvestableVespeneGeyserGasZerg" });
        data.Effects.Add(new EffectData { EffectId = 11, Name = "RavagerCorrosiveBileCP", FriendlyName = "", Radius = 0.5f });
        return data;
    }

    private static AbilityData Describe(uint id, string button, string friendly, Target target, string link = "") => new()
    {
        AbilityId = id,
        LinkName = link,
        ButtonName = button,
        FriendlyName = friendly,
        Available = true,
        Target = target,
    };

    private static Target TargetOf(UnitType type)
    {
        if (type.Role == UnitRole.GasBuilding) return Target.Unit;
        return type.IsStructure && type != UnitTypes.Lair && type != UnitTypes.Hive ? Target.Point : Target.None;
    }

    private static UnitTypeData Describe(UnitType type)
    {
        var data = new UnitTypeData
        {
            UnitId = type.Id,
            Name = type.Name,
            Available = true,
            CargoSize = (uint)type.CargoSize,
            MineralCost = (uint)type.Minerals,
            VespeneCost = (uint)type.Vespene,
            FoodRequired = type.SupplyHalves / 2f,
            FoodProvided = type.SupplyProvided,
            AbilityId = type.Ability,
            Race = type.Race,
            BuildTime = type.BuildLoops,
            HasMinerals = type == UnitTypes.MineralField || type == UnitTypes.MineralField750,
            HasVespene = type == UnitTypes.VespeneGeyser,
            SightRange = type.Sight,
            TechRequirement = type.Requires,
            MovementSpeed = type.Speed,
            Armor = type.Armor,
        };
        data.Attributes.AddRange(type.Attributes);
        if (type.Weapon is { } weapon)
        {
            data.Weapons.Add(new Weapon
            {
                Type = weapon.HitsAir ? (weapon.HitsGround ? Weapon.Types.TargetType.Any : Weapon.Types.TargetType.Air) : Weapon.Types.TargetType.Ground,
                Damage = weapon.Damage,
                Attacks = (uint)weapon.Attacks,
                Range = weapon.Range,
                Speed = weapon.Seconds,
            });
        }

        return data;
    }

    private static Size2DI Size(MapLayout map) => new() { X = map.Width, Y = map.Height };

    // A set bit is open ground; the first cell is the highest bit.
    private static ImageData Bits(MapLayout map, bool[] blocked)
    {
        var bits = new byte[blocked.Length / 8];
        for (var i = 0; i < blocked.Length; i++)
        {
            if (!blocked[i]) bits[i >> 3] |= (byte)(0x80 >> (i & 7));
        }

        return new ImageData { BitsPerPixel = 1, Size = Size(map), Data = ByteString.CopyFrom(bits) };
    }

    private static bool[] BlockedFor(World world, bool buildings)
    {
        var map = world.Map;
        var blocked = new bool[map.Width * map.Height];
        for (var i = 0; i < blocked.Length; i++)
        {
            var height = map.TerrainHeight[i];
            blocked[i] = !map.IsPlayable(i % map.Width, i / map.Width) || (buildings && height is not (191 or 207 or 223));
        }

        foreach (var unit in world.Units)
        {
            if (unit.Owner != World.NeutralOwner) continue;
            var half = Math.Max((int)unit.Type.Radius, 1);
            int halfHeight = unit.Contents is > 0 and < 2000 ? 0 : half, x = unit.X >> 12, y = unit.Y >> 12;
            for (var dy = -halfHeight; dy <= halfHeight; dy++)
            {
                for (var dx = -half; dx < half; dx++) blocked[(y + dy) * map.Width + x + dx] = true;
            }
        }

        return blocked;
    }
}
