using Google.Protobuf;
using SC2APIProtocol;

namespace Abathur.Synth;

/// <summary>Makes <c>ResponseGameInfo</c> for a generated match.</summary>
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
            var description = new PlayerInfo
            {
                PlayerId = (uint)player.Id,
                Type = PlayerType.Participant,
                RaceRequested = player.Race,
                PlayerName = $"Synthetic {player.Race}",
            };
            if (player.Id == 1) description.RaceActual = player.Race;
            info.PlayerInfo.Add(description);
        }

        return info;
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
