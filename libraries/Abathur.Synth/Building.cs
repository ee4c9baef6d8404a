using SC2APIProtocol;

namespace Abathur.Synth;

/// <summary>Sends workers to build, and places buildings when they arrive.</summary>
internal sealed class Building(World world, Movement movement, Production production, Commands commands)
{
    /// <summary>Sends a worker to build on the next plot, geyser or base site.</summary>
    /// <returns>False if there is no free plot or no worker.</returns>
    public bool Send(Player player, UnitType type)
    {
        if (Place(player, type) is not { } place) return false;
        var worker = FindWorker(player, place.X, place.Y);
        if (worker is null) return false;
        Economy.Quit(worker);
        worker.Carries = 0;
        worker.Task = UnitTask.GoBuild;
        worker.Product = type;
        worker.Site = place.Site;
        worker.Order = type.Role == UnitRole.GasBuilding
            ? SimOrder.On(type.Ability, place.Geyser!)
            : SimOrder.At(type.Ability, place.X, place.Y);
        worker.Timer = 0;
        if (type.Role == UnitRole.TownHall) place.Site.IsClaimed = true;
        commands.Order(worker, worker.Order);
        return true;
    }

    /// <summary>One game loop of a worker on its way to build.</summary>
    public void Step(SimUnit worker)
    {
        var order = worker.Order;
        var type = worker.Product!;
        var (x, y) = order.Target is { } geyser ? (geyser.X, geyser.Y) : (order.X, order.Y);
        if (!movement.Towards(worker, x, y, type.RadiusFixed + Fixed.One / 4)) return;
        var player = world.PlayerOf(worker);
        var site = worker.Site!;
        var taken = type.Role == UnitRole.TownHall
            ? site.Hall is not null
            : order.Target is { } g && site.GasBuildings[site.Geysers.IndexOf(g)] is not null;
        if (!player.CanPay(type) && !taken && ++worker.Timer < 400) return;
        worker.Product = null;
        worker.Site = null;
        worker.ClearOrder();
        if (type.Role == UnitRole.TownHall) site.IsClaimed = false;
        if (taken || !player.CanPay(type)) return;

        if (player.Race == Race.Zerg) world.Remove(worker, killed: false);
        var building = production.StartBuilding(player, type, x, y);
        if (type.Role == UnitRole.TownHall) Settle(player, site, building);
        if (order.Target is { } source)
        {
            building.Contents = source.Contents;
            building.Site = site;
            site.GasBuildings[site.Geysers.IndexOf(source)] = building;
        }
    }

    /// <summary>Makes a hall the hall of its site.</summary>
    public static void Settle(Player player, BaseSite site, SimUnit hall)
    {
        hall.Site = site;
        site.Hall = hall;
        site.LarvaTimer = 0;
        player.Bases.Add(site);
    }

    /// <summary>The next free plot at one of a player's bases, in 1/4096 cell.</summary>
    public (int X, int Y, BaseSite Site, SimUnit? Geyser)? NextPlot(Player player)
    {
        foreach (var site in player.Bases)
        {
            if (site.Hall is not { IsFinished: true }) continue;
            while (site.PlotsTaken < BaseSite.Plots.Length)
            {
                var (dx, dy) = BaseSite.Plots[site.PlotsTaken++];
                int x = site.X - site.Side * dx * Fixed.One, y = site.Y + dy * Fixed.One;
                if (world.Map.IsPlayable((x >> 12) - 2, (y >> 12) - 2) && world.Map.IsPlayable((x >> 12) + 2, (y >> 12) + 2))
                    return (x, y, site, null);
            }
        }

        return null;
    }

    private (int X, int Y, BaseSite Site, SimUnit? Geyser)? Place(Player player, UnitType type)
    {
        if (type.Role == UnitRole.TownHall) return FreeSite(player) is { } free ? (free.X, free.Y, free, null) : null;
        if (type.Role != UnitRole.GasBuilding) return NextPlot(player);
        foreach (var site in player.Bases)
        {
            if (site.Hall is not { IsFinished: true }) continue;
            for (var i = 0; i < site.Geysers.Count; i++)
            {
                if (site.GasBuildings[i] is null) return (site.Geysers[i].X, site.Geysers[i].Y, site, site.Geysers[i]);
            }
        }

        return null;
    }

    private BaseSite? FreeSite(Player player)
    {
        var home = world.Map.Sites[player.Id - 1];
        var away = world.Map.Sites[2 - player.Id];
        BaseSite? best = null;
        var bestDistance = int.MaxValue;
        foreach (var site in world.Map.Sites)
        {
            var distance = Fixed.Distance(site.X - home.X, site.Y - home.Y);
            if (site.Hall is not null || site.IsClaimed || distance >= bestDistance) continue;
            if (distance > Fixed.Distance(site.X - away.X, site.Y - away.Y)) continue;
            best = site;
            bestDistance = distance;
        }

        return best;
    }

    private SimUnit? FindWorker(Player player, int x, int y)
    {
        SimUnit? best = null;
        var bestDistance = int.MaxValue;
        foreach (var unit in world.Units)
        {
            if (unit.Owner != player.Id || unit.Type.Role != UnitRole.Worker || !unit.IsAlive || unit.IsInside) continue;
            if (unit.Task is not (UnitTask.GoGather or UnitTask.Idle)) continue;
            var distance = Fixed.Distance(unit.X - x, unit.Y - y);
            if (distance >= bestDistance) continue;
            best = unit;
            bestDistance = distance;
        }

        return best;
    }
}
