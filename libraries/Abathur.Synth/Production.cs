using SC2APIProtocol;

namespace Abathur.Synth;

/// <summary>Everything that takes time to produce: eggs, trained units, buildings, morphs, research.</summary>
internal sealed class Production(World world)
{
    /// <summary>Turns a larva into an egg and pays for it.</summary>
    public void StartEgg(SimUnit larva, UnitType product)
    {
        var player = world.PlayerOf(larva);
        Pay(player, product, PairSize(product));
        larva.Site?.Larvae.Remove(larva);
        world.ChangeType(larva, UnitTypes.Egg);
        larva.Health = UnitTypes.Egg.HealthFixed;
        Reserve(player, product, PairSize(product));
        Begin(larva, product, UnitTask.Produce);
    }

    public void StartTraining(SimUnit building, UnitType product)
    {
        var player = world.PlayerOf(building);
        Pay(player, product, 1);
        Reserve(player, product, 1);
        Begin(building, product, UnitTask.Produce);
    }

    /// <summary>Starts a morph that keeps the tag: with a cocoon, or in place.</summary>
    public void StartMorph(SimUnit unit, UnitType product, UnitType? cocoon)
    {
        var player = world.PlayerOf(unit);
        player.Pay(Math.Max(product.Minerals - unit.Type.Minerals, 0), Math.Max(product.Vespene - unit.Type.Vespene, 0));
        if (cocoon is not null) world.ChangeType(unit, cocoon);
        player.Add(product, 1);
        Begin(unit, product, UnitTask.Morph);
    }

    public void StartResearch(SimUnit building, int upgrade, uint ability, int cost, int loops)
    {
        var player = world.PlayerOf(building);
        player.Pay(cost, cost);
        player.Score.UsedMinerals.Upgrade += cost;
        player.Score.UsedVespene.Upgrade += cost;
        building.Research = upgrade;
        building.Product = null;
        building.Task = UnitTask.Produce;
        building.Timer = Scaled(loops);
        building.Order = SimOrder.Making(ability, building.Timer);
    }

    /// <summary>Places a building under construction.</summary>
    public SimUnit StartBuilding(Player player, UnitType type, int x, int y)
    {
        Pay(player, type, 1);
        return world.Spawn(type, player.Id, x, y, finished: false);
    }

    /// <summary>One game loop of construction: nine tenths of the hit points grow with it.</summary>
    public void Build(SimUnit unit)
    {
        unit.BuildLoops++;
        unit.Health = Math.Min(unit.Health + unit.Type.HealthFixed / 10 * 9 / unit.BuildTotal, unit.Type.HealthFixed);
        unit.Shield = Math.Min(unit.Shield + unit.Type.ShieldFixed / 10 * 9 / unit.BuildTotal, unit.Type.ShieldFixed);
        if (unit.BuildLoops < unit.BuildTotal) return;
        world.Finish(unit);
        var player = world.PlayerOf(unit);
        if (unit.Type == UnitTypes.CreepTumorQueen || unit.Type == UnitTypes.CreepTumor)
        {
            world.ChangeType(unit, UnitTypes.CreepTumorBurrowed);
            unit.Timer = 320;
            return;
        }

        world.Alert(player, Alert.BuildingComplete);
    }

    /// <summary>One game loop of production, morph or research.</summary>
    /// <returns>The unit's products when it is done, else null.</returns>
    public IReadOnlyList<SimUnit>? Advance(SimUnit unit)
    {
        if (--unit.Timer > 0) return null;
        var player = world.PlayerOf(unit);
        var product = unit.Product;
        unit.ClearOrder();
        unit.Product = null;
        if (unit.Research != 0)
        {
            Learn(player, unit.Research);
            unit.Research = 0;
            return [];
        }

        if (product!.Role == UnitRole.TownHall || unit.Type.Name.EndsWith("Cocoon", StringComparison.Ordinal))
        {
            player.Add(product, -1);
            world.ChangeType(unit, product);
            unit.Health = Math.Min(unit.Health, product.HealthFixed);
            world.Alert(player, Alert.MorphComplete);
            return [];
        }

        Reserve(player, product, -PairSize(product));
        world.Alert(player, product.Role == UnitRole.Worker ? Alert.TrainWorkerComplete : Alert.TrainUnitComplete);
        var born = new SimUnit[PairSize(product)];
        for (var i = 0; i < born.Length; i++) born[i] = BirthOf(product, unit, i);
        if (unit.Type == UnitTypes.Egg) world.Remove(unit, killed: false);
        return born;
    }

    private SimUnit BirthOf(UnitType product, SimUnit parent, int place)
    {
        var reach = parent.Type.IsStructure ? parent.Type.RadiusFixed + product.RadiusFixed : place * 1200;
        var angle = parent.Type.IsStructure ? Fixed.Angle(world.Map.Width * 2048 - parent.X, world.Map.Height * 2048 - parent.Y) : 6000;
        var x = parent.X + (int)((long)reach * Fixed.Cos(angle) >> 16);
        var y = parent.Y + (int)((long)reach * Fixed.Sin(angle) >> 16);
        return world.Spawn(product, parent.Owner, x, y);
    }

    private void Learn(Player player, int upgrade)
    {
        player.Upgrades.Add(upgrade);
        if (Upgrades.Attack.Contains(upgrade)) player.AttackLevel++;
        if (Upgrades.Armor.Contains(upgrade)) player.ArmorLevel++;
        world.Alert(player, Alert.ResearchComplete);
    }

    private void Begin(SimUnit unit, UnitType product, UnitTask task)
    {
        unit.Product = product;
        unit.Task = task;
        unit.Timer = Scaled(product.BuildLoops);
        unit.Order = SimOrder.Making(product.Ability, unit.Timer);
    }

    private int Scaled(int loops) => Math.Max(loops * 100 / world.Options.Intensity, 1);

    private static int PairSize(UnitType type) => type == UnitTypes.Zergling ? 2 : 1;

    private static void Pay(Player player, UnitType type, int times) => player.Pay(type.Minerals * times, type.Vespene * times);

    private static void Reserve(Player player, UnitType type, int times)
    {
        player.Add(type, times);
        player.SupplyUsedHalves += type.SupplyHalves * times;
        player.SupplyPending += type.SupplyProvided * times;
        if (type.Role == UnitRole.Worker) player.WorkersPending += times;
    }
}
