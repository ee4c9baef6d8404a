using SC2APIProtocol;

namespace Abathur.Client.Testing;

/// <summary>Collects what happens once in observations that a reader does not get.</summary>
internal sealed class SkippedEvents
{
    private ResponseObservation? _events;

    /// <summary>Adds those of an observation.</summary>
    public void Add(ReadOnlySpan<byte> observation)
    {
        var from = ResponseObservation.Parser.ParseFrom(observation);
        var kept = new ResponseObservation
        {
            Actions = { from.Actions },
            ActionErrors = { from.ActionErrors },
            Chat = { from.Chat },
            PlayerResult = { from.PlayerResult },
        };
        var alerts = from.Observation?.Alerts;
        var dead = from.Observation?.RawData?.Event?.DeadUnits;
        if (alerts is { Count: > 0 } || dead is { Count: > 0 }) kept.Observation = new Observation();
        if (alerts is { Count: > 0 }) kept.Observation.Alerts.Add(alerts);
        if (dead is { Count: > 0 }) kept.Observation.RawData = new ObservationRaw { Event = new Event { DeadUnits = { dead } } };
        if (kept.CalculateSize() == 0) return;
        if (_events is null) _events = kept;
        else _events.MergeFrom(kept);
    }

    /// <summary>What was added since the last call; null: nothing.</summary>
    public ResponseObservation? Take()
    {
        var taken = _events;
        _events = null;
        return taken;
    }
}
