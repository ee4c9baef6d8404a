namespace Abathur.Synth;

/// <summary>The units on the map at the first frame.</summary>
internal sealed class StartingState(Simulation simulation, Economy economy, Hatcheries hatcheries, Building building)
{
    private readonly World _world = simulation.World;

    public void Set()
    {
        PlaceNeutral();
        foreach (var player in _world.Players)
        {
            var home = _world.Map.Sites[player.Id - 1];
            PlaceRally(player, home);
            if (_world.Options.Start == MatchStart.Opening) Open(player, home);
            else Develop(player);
        }

        foreach (var unit in _world.Units.ToArray())
        {
            if (unit.Type == UnitTypes.Hatchery || unit.Type == UnitTypes.Lair) hatcheries.SpawnLarva(unit.Site!);
        }

        simulation.Creep.Step(_world, whole: true);
        foreach (var worker in _world.Units.FindAll(static unit => unit.Type.Role == UnitRole.Worker)) economy.Employ(worker);
        var main = _world.Map.Sites[0];
        simulation.Commands.MoveCamera(main.X, main.Y);
        if (_world.Options.Start == MatchStart.MidGame) Scout();
    }

    // Player 1 has scouted the enemy's outer bases and has snapshots of them.
    private void Scout()
    {
        var sites = _world.Map.Sites;
        foreach (var site in new[] { sites[3], sites[5], sites[2], sites[4], sites[6] }) simulation.Vision.Explore(site.X, site.Y);
        foreach (var unit in _world.Units)
        {
            var near = new[] { sites[3], sites[5] }.Any(site => Fixed.Distance(site.X - unit.X, site.Y - unit.Y) < 18 * Fixed.One);
            if (unit.Owner != 2 || !unit.Type.IsStructure || !near) continue;
            unit.HasSnapshot = true;
            unit.SnapshotTag = _world.NextSnapshotTag(unit);
        }
    }

    private void PlaceRally(Player player, BaseSite home)
    {
        var natural = _world.Map.Sites[player.Id + 1];
        player.RallyX = natural.X + (_world.Map.Width * 2048 - natural.X) / 4;
        player.RallyY = natural.Y + (_world.Map.Height * 2048 - natural.Y) / 4 + (natural.Y - home.Y) / 16;
    }

    private void PlaceNeutral()
    {
        (int Dx, int Dy)[] minerals = [(11, -10), (13, -8), (15, -4), (13, -2), (15, 2), (13, 4), (11, 8), (7, 10)];
        foreach (var site in _world.Map.Sites)
        {
            // Half cells: a mineral field is two cells wide and one high.
            for (var i = 0; i < minerals.Length; i++)
            {
                var (dx, dy) = minerals[i];
                var big = i % 2 == 0;
                var field = _world.Spawn(
                    big ? UnitTypes.MineralField : UnitTypes.MineralField750, World.NeutralOwner, site.X + site.Side * dx * 2048,
                    site.Y + dy * 2048);
                field.Contents = big ? 1800 : 900;
                field.Site = site;
                site.Minerals.Add(field);
            }

            foreach (var (dx, dy) in new[] { (2, 7), (-2, -7) })
            {
                var geyser = _world.Spawn(
                    UnitTypes.VespeneGeyser, World.NeutralOwner, site.X + site.Side * dx * Fixed.One, site.Y + dy * Fixed.One);
                geyser.Contents = 2250;
                site.Geysers.Add(geyser);
            }
        }

        (UnitType Type, int X, int Y)[] rest =
        [
            (
                UnitTypes.XelNagaTower, 50,
                78), (UnitTypes.Debris, 30, 70), (UnitTypes.Debris, 52, 70), (UnitTypes.Rock, 28, 48), (UnitTypes.Rock, 47, 90),
            (UnitTypes.Plates, 24, 66), (UnitTypes.Plates, 26, 66), (UnitTypes.Plates, 34, 55),
        ];
        foreach (var (type, px, py) in rest)
        {
            int x = _world.Map.Width * px / 100, y = _world.Map.Height * py / 100;
            _world.Spawn(type, World.NeutralOwner, x * Fixed.One, y * Fixed.One);
            _world.Spawn(type, World.NeutralOwner, (_world.Map.Width - x) * Fixed.One, (_world.Map.Height - y) * Fixed.One);
        }

        // The game has snapshots of all units that are on the map at the start.
        foreach (var unit in _world.Units)
        {
            unit.HasSnapshot = true;
            unit.SnapshotTag = _world.NextSnapshotTag(unit);
        }
    }

    private void Open(Player player, BaseSite home)
    {
        PlaceHall(player, home, player.Id == 1 ? UnitTypes.Hatchery : UnitTypes.Nexus);
        PlaceWorkers(player, home, 12);
        if (player.Id == 1)
        {
            Place(player, UnitTypes.Overlord, home.X + 8 * Fixed.One, home.Y, 1);
            hatcheries.SpawnLarva(home);
            hatcheries.SpawnLarva(home);
        }
    }

    private void Develop(Player player)
    {
        var sites = _world.Map.Sites;
        var zerg = player.Id == 1;
        player.Minerals = 820;
        player.Vespene = 610;
        for (var i = 0; i < 3; i++)
        {
            var site = sites[i * 2 + player.Id - 1];
            PlaceHall(player, site, zerg ? (i == 0 ? UnitTypes.Lair : UnitTypes.Hatchery) : UnitTypes.Nexus);
            PlaceWorkers(player, site, 12);
            foreach (var geyser in site.Geysers.Take(2 - i / 2))
            {
                var gas = _world.Spawn(zerg ? UnitTypes.Extractor : UnitTypes.Assimilator, player.Id, geyser.X, geyser.Y);
                gas.Contents = geyser.Contents;
                gas.Site = site;
                site.GasBuildings[site.Geysers.IndexOf(geyser)] = gas;
            }
        }

        UnitType[] buildings = zerg
            ? [
                UnitTypes.SpawningPool, UnitTypes.RoachWarren, UnitTypes.EvolutionChamber, UnitTypes.BanelingNest, UnitTypes.HydraliskDen,
                UnitTypes.SpineCrawler, UnitTypes.SporeCrawler,
            ]
            : [
                UnitTypes.Pylon, UnitTypes.Gateway, UnitTypes.CyberneticsCore, UnitTypes.Gateway, UnitTypes.Gateway, UnitTypes.Forge,
                UnitTypes.RoboticsFacility, UnitTypes.TwilightCouncil, UnitTypes.PhotonCannon,
            ];
        foreach (var type in buildings)
        {
            if (building.NextPlot(player) is { } plot) _world.Spawn(type, player.Id, plot.X, plot.Y);
        }

        var (x, y) = (player.RallyX, player.RallyY);
        if (zerg)
        {
            for (var i = 0; i < 14; i++)
                Place(
                    player, UnitTypes.Overlord, sites[i % 3 * 2].X + (i - 4) * 2 * Fixed.One, sites[i % 3 * 2].Y + (4 - i) * Fixed.One, 1);
            for (var i = 0; i < 4; i++)
                Place(player, UnitTypes.Queen, sites[i % 3 * 2].X + 5 * Fixed.One, sites[i % 3 * 2].Y - 4 * Fixed.One, 1);
            Place(player, UnitTypes.Zergling, x, y, 24);
            Place(player, UnitTypes.Roach, x, y, 14);
            Place(player, UnitTypes.Hydralisk, x, y, 10);
            Place(player, UnitTypes.Ravager, x, y, 4);
            player.Upgrades.AddRange([66, 59]);
            player.AttackLevel = 1;
            LoadTransport(player);
        }
        else
        {
            for (var i = 0; i < 12; i++)
            {
                if (building.NextPlot(player) is { } plot) _world.Spawn(UnitTypes.Pylon, player.Id, plot.X, plot.Y);
            }

            Place(player, UnitTypes.Zealot, x, y, 13);
            Place(player, UnitTypes.Stalker, x, y, 10);
            Place(player, UnitTypes.Immortal, x, y, 4);
            Place(player, UnitTypes.Adept, x, y, 5);
            player.Upgrades.Add(84);
        }

        MarchOut(player);
    }

    // Half of each army of a developed match is already on its way, and they meet within seconds.
    private void MarchOut(Player player)
    {
        var army = _world.Units.FindAll(unit => unit.Owner == player.Id && unit.Type.Role == UnitRole.Army && !unit.IsInside);
        army = army[..(army.Count / 2)];
        var (cx, cy) = (_world.Map.Width * 2048, _world.Map.Height * 2048);
        foreach (var unit in army)
        {
            unit.X += (cx - unit.X) * 5 / 10;
            unit.Y += (cy - unit.Y) * 5 / 10;
            _world.UpdateHeight(unit);
        }

        simulation.Armies.Launch(player, army, cx, cy);
    }

    private void LoadTransport(Player player)
    {
        var home = _world.Map.Sites[0];
        var transport = _world.Spawn(UnitTypes.OverlordTransport, player.Id, home.X + 9 * Fixed.One, home.Y - 9 * Fixed.One);
        transport.Passengers = [];
        for (var i = 0; i < 4; i++)
        {
            var passenger = _world.Spawn(UnitTypes.Zergling, player.Id, transport.X, transport.Y);
            passenger.IsInside = true;
            passenger.Wave = -1;
            transport.Passengers.Add(passenger);
        }
    }

    private void PlaceHall(Player player, BaseSite site, UnitType type)
    {
        var hall = _world.Spawn(type, player.Id, site.X, site.Y);
        Building.Settle(player, site, hall);
        hall.Energy = type.Energy > 0 ? 50 * Fixed.One : 0;
    }

    private void PlaceWorkers(Player player, BaseSite site, int count)
    {
        var type = player.Id == 1 ? UnitTypes.Drone : UnitTypes.Probe;
        for (var i = 0; i < count; i++) _world.Spawn(type, player.Id, site.X + site.Side * 14000, site.Y + (i - count / 2) * 2048);
    }

    private void Place(Player player, UnitType type, int x, int y, int count)
    {
        for (var i = 0; i < count; i++)
        {
            var px = MapLayout.Clamp(x + (count > 1 ? _world.Random.Between(-14000, 14000) : 0), _world.Map.Width);
            var py = MapLayout.Clamp(y + (count > 1 ? _world.Random.Between(-14000, 14000) : 0), _world.Map.Height);
            _world.Spawn(type, player.Id, px, py);
        }
    }
}
