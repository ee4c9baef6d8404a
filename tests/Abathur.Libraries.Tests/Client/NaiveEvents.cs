using SC2APIProtocol;

namespace Abathur.Client.Tests;

/// <summary>The rules of unit events over dictionaries, as BotAI has them.</summary>
internal sealed class NaiveEvents
{
    private readonly HashSet<ulong> _created = [];
    private Dictionary<string, Dictionary<ulong, Unit>>? _before;
    private HashSet<ulong> _allBefore = [];
    private HashSet<uint> _upgrades = [];

    /// <summary>The events of the next frame.</summary>
    public List<string> Next(ResponseObservation response, uint gameLoop)
    {
        var raw = response.Observation.RawData;
        var units = raw.Units.Where(unit => !unit.IsBlip && unit.UnitType is not (830 or 824 or 135)).ToList();
        var classes = new Dictionary<string, List<Unit>> { ["own"] = [], ["ownS"] = [], ["enemy"] = [], ["enemyS"] = [] };
        foreach (var unit in units.Where(unit => unit.DisplayType != DisplayType.Placeholder))
        {
            var side = unit.Alliance switch { Alliance.Self => "own", Alliance.Enemy => "enemy", _ => null };
            if (side is not null) classes[unit.UnitType == 21 ? side + "S" : side].Add(unit);
        }
        var events = new List<string>();
        if (_before is null)
        {
            if (gameLoop >= 224) _created.UnionWith(classes["own"].Select(unit => unit.Tag));
        }
        else
        {
            foreach (var tag in raw.Event.DeadUnits.Distinct().Where(_allBefore.Contains)) events.Add($"UnitDestroyed {tag}");
            foreach (var unit in classes["own"])
            {
                if (_before["own"].TryGetValue(unit.Tag, out var before)) events.AddRange(Changes(unit, before));
                else if (_created.Add(unit.Tag)) events.Add($"UnitCreated {unit.Tag}");
            }
            foreach (var unit in classes["ownS"])
            {
                if (!_before["ownS"].TryGetValue(unit.Tag, out var before))
                {
                    events.Add($"BuildingConstruction{(unit.BuildProgress < 1 ? "Started" : "Complete")} {unit.Tag}");
                    continue;
                }
                events.AddRange(Changes(unit, before));
                if (unit.BuildProgress == 1 && before.BuildProgress < 1) events.Add($"BuildingConstructionComplete {unit.Tag}");
            }
            foreach (var upgrade in raw.Player.UpgradeIds.Distinct().Except(_upgrades).Order()) events.Add($"UpgradeComplete {upgrade}");
            foreach (var side in (string[])["enemy", "enemyS"])
            {
                foreach (var unit in classes[side].Where(unit => !_before[side].ContainsKey(unit.Tag)))
                    events.Add($"EnemyUnitEnteredVision {unit.Tag}");
            }
            foreach (var side in (string[])["enemy", "enemyS"])
            {
                var now = classes[side].Select(unit => unit.Tag).ToHashSet();
                // In the order of the last unit with a tag.
                foreach (var tag in _before[side].Keys.Where(tag => !now.Contains(tag))) events.Add($"EnemyUnitLeftVision {tag}");
            }
            foreach (var alert in response.Observation.Alerts) events.Add($"Alert {alert}");
        }
        _before = classes.ToDictionary(each => each.Key, each => ByTag(each.Value));
        _allBefore = [.. units.Select(unit => unit.Tag)];
        _upgrades = [.. raw.Player.UpgradeIds];
        return events;
    }

    /// <summary>An event in the form of <see cref="Next"/>.</summary>
    public static string Text(UnitEvent each) => each.Kind switch
    {
        UnitEventKind.UpgradeComplete => $"{each.Kind} {each.UpgradeId}",
        UnitEventKind.Alert => $"{each.Kind} {each.Alert}",
        UnitEventKind.UnitTookDamage => $"{each.Kind} {each.Tag} {each.Amount}",
        UnitEventKind.UnitTypeChanged => $"{each.Kind} {each.Tag} {each.PreviousType}",
        _ => $"{each.Kind} {each.Tag}",
    };

    private static IEnumerable<string> Changes(Unit unit, Unit before)
    {
        if (unit.Health < before.Health || unit.Shield < before.Shield)
            yield return $"UnitTookDamage {unit.Tag} {(double)before.Health - unit.Health + before.Shield - unit.Shield}";
        if (unit.UnitType != before.UnitType) yield return $"UnitTypeChanged {unit.Tag} {before.UnitType}";
    }

    private static Dictionary<ulong, Unit> ByTag(List<Unit> units)
    {
        // Of equal tags the last counts, also for the order.
        var byTag = new Dictionary<ulong, Unit>();
        foreach (var unit in units.AsEnumerable().Reverse().DistinctBy(unit => unit.Tag).Reverse()) byTag.Add(unit.Tag, unit);
        return byTag;
    }
}
