using SC2APIProtocol;

namespace Abathur.Synth;

/// <summary>Workers that gather minerals and vespene, with the orders that the game shows for it.</summary>
internal sealed class Economy(World world, Movement movement)
{
    private const int MineLoops = 44;
    private const int GasLoops = 31;

    // A worker's mean speed between two stops, in percent of its full speed.
    private const int MiningSpeed = 62;
    private const int MineralsPerTrip = 5;
    private const int GasPerTrip = 4;
    private const uint CarriesMinerals = 271;

    public static uint GatherAbility(SimUnit worker) => worker.Type.Race == Race.Zerg ? 1183u : 298u;

    private static uint ReturnAbility(SimUnit worker) => worker.Type.Race == Race.Zerg ? 1184u : 299u;

    public void Step(SimUnit worker)
    {
        switch (worker.Task)
        {
            case UnitTask.Idle:
                Employ(worker);
                break;
            case UnitTask.GoGather:
                GoGather(worker);
                break;
            case UnitTask.Gather:
                Gather(worker);
                break;
            case UnitTask.GoReturn:
                GoReturn(worker);
                break;
        }
    }

    /// <summary>Sends a worker to the base with the most room: gas first if a gas building needs workers.</summary>
    public void Employ(SimUnit worker)
    {
        Quit(worker);
        var player = world.PlayerOf(worker);
        BaseSite? best = null;
        var bestRoom = int.MinValue;
        foreach (var site in player.Bases)
        {
            if (site.Hall is not { IsFinished: true }) continue;
            foreach (var building in site.GasBuildings)
            {
                if (building is not { IsFinished: true, Harvesters: < 3, Contents: > 0 } || player.Workers < 14) continue;
                Assign(worker, site, building);
                return;
            }

            var room = site.Minerals.Count * 2 - site.Hall.Harvesters - Fixed.Distance(
                site.X - worker.X, site.Y - worker.Y) / (Fixed.One * 16);
            if (site.Minerals.Count == 0 || room <= bestRoom) continue;
            best = site;
            bestRoom = room;
        }

        if (best is null) return;
        var patch = best.Minerals[0];
        foreach (var mineral in best.Minerals)
        {
            if (mineral.Harvesters < patch.Harvesters) patch = mineral;
        }

        Assign(worker, best, patch);
        best.Hall!.Harvesters++;
    }

    /// <summary>Leaves the mineral field or geyser building it worked on.</summary>
    public static void Quit(SimUnit worker)
    {
        if (worker.Subject is { } subject)
        {
            subject.Harvesters = Math.Max(subject.Harvesters - 1, 0);
            if (worker.Task == UnitTask.Gather) subject.IsBusy = false;
            if (subject.Type.Role == UnitRole.Neutral && worker.Site?.Hall is { } hall) hall.Harvesters = Math.Max(hall.Harvesters - 1, 0);
        }

        worker.IsInside = false;
        worker.Subject = null;
        worker.Site = null;
        worker.ClearOrder();
    }

    private static void Assign(SimUnit worker, BaseSite site, SimUnit subject)
    {
        worker.Site = site;
        worker.Subject = subject;
        subject.Harvesters++;
        worker.Task = UnitTask.GoGather;
        worker.Order = SimOrder.On(GatherAbility(worker), subject);
    }

    private void GoGather(SimUnit worker)
    {
        var subject = worker.Subject;
        if (subject is not { IsAlive: true })
        {
            Employ(worker);
            return;
        }

        var arrived = movement.Towards(worker, subject.X, subject.Y, subject.Type.RadiusFixed / 2 + worker.Type.RadiusFixed, MiningSpeed);
        if (!arrived || subject.IsBusy) return;
        subject.IsBusy = true;
        worker.Task = UnitTask.Gather;
        worker.Timer = subject.Type.Role == UnitRole.Neutral ? MineLoops : GasLoops;
        worker.IsInside = subject.Type.Role != UnitRole.Neutral;
    }

    private void Gather(SimUnit worker)
    {
        var subject = worker.Subject!;
        if (--worker.Timer > 0 && subject.IsAlive) return;
        subject.IsBusy = false;
        worker.IsInside = false;
        if (!subject.IsAlive || worker.Site?.Hall is not { IsAlive: true } hall)
        {
            Employ(worker);
            return;
        }

        var minerals = subject.Type.Role == UnitRole.Neutral;
        if (!minerals) worker.HasGatheredGas = true;
        worker.Carries = minerals ? CarriesMinerals : worker.Type.Race == Race.Zerg ? 275u : 274u;
        worker.Task = UnitTask.GoReturn;
        worker.Order = SimOrder.On(ReturnAbility(worker), hall);
        subject.Contents = Math.Max(subject.Contents - (minerals ? MineralsPerTrip : GasPerTrip), 0);
        if (subject.Contents == 0 && minerals) Exhaust(subject, world.PlayerOf(worker));
    }

    private void Exhaust(SimUnit mineral, Player player)
    {
        world.Remove(mineral, killed: false);
        world.Alert(player, Alert.MineralsExhausted);
    }

    private void GoReturn(SimUnit worker)
    {
        if (worker.Site?.Hall is not { IsAlive: true } hall)
        {
            Employ(worker);
            return;
        }

        if (!movement.Towards(worker, hall.X, hall.Y, hall.Type.RadiusFixed + worker.Type.RadiusFixed, MiningSpeed)) return;
        var player = world.PlayerOf(worker);
        var percent = world.Options.Intensity;
        if (worker.Carries == CarriesMinerals)
        {
            var amount = MineralsPerTrip * percent / 100;
            player.Minerals += amount;
            player.Score.CollectedMinerals += amount;
        }
        else
        {
            var amount = GasPerTrip * percent / 100;
            player.Vespene += amount;
            player.Score.CollectedVespene += amount;
        }

        worker.Carries = 0;
        if (worker.Subject is not { IsAlive: true, Contents: > 0 } subject)
        {
            Employ(worker);
            return;
        }

        worker.Task = UnitTask.GoGather;
        worker.Order = SimOrder.On(GatherAbility(worker), subject);
    }
}
