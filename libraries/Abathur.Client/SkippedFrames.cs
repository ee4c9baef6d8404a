using Google.Protobuf;
using SC2APIProtocol;

namespace Abathur.Client;

/// <summary>What happened in frames that were received and that the reader does not get: the next frame tells it.</summary>
/// <param name="everyGameLoops">With downsampling, excluded frames do not count as dropped.</param>
internal sealed class SkippedFrames(uint everyGameLoops)
{
    /// <summary>Entries of all lists together that are kept.</summary>
    private const int MaxEntries = 100_000;

    private ResponseObservation _events = new();
    private int _entries;
    private bool _isIncomplete;
    private uint? _firstDropped;
    private (ulong Sequence, uint GameLoop)? _last;

    /// <summary>Adds a frame that the reader does not get.</summary>
    /// <param name="content">Its content.</param>
    /// <param name="gameLoop">Its game loop.</param>
    /// <exception cref="ProtocolException">It cannot be parsed.</exception>
    public void Add(FrameContent content, uint gameLoop)
    {
        // Before its first frame a reader has missed nothing.
        if (_last is null) return;
        _firstDropped ??= gameLoop;
        var rest = ServerText.Parse<ResponseObservation>(content.RestBytes.Span);
        var alerts = rest.Observation?.Alerts;
        var dead = rest.Observation?.RawData?.Event?.DeadUnits;
        _entries += rest.Actions.Count + rest.ActionErrors.Count + rest.Chat.Count + rest.PlayerResult.Count
            + (alerts?.Count ?? 0) + (dead?.Count ?? 0);
        if (_entries > MaxEntries)
        {
            _isIncomplete = true;
            return;
        }
        _events.Actions.AddRange(rest.Actions);
        _events.ActionErrors.AddRange(rest.ActionErrors);
        _events.Chat.AddRange(rest.Chat);
        _events.PlayerResult.AddRange(rest.PlayerResult);
        if (alerts is { Count: > 0 }) Observation.Alerts.AddRange(alerts);
        if (dead is { Count: > 0 }) ((Observation.RawData ??= new ObservationRaw()).Event ??= new Event()).DeadUnits.AddRange(dead);
    }

    /// <summary>Frames were lost: nothing tells what happened in them.</summary>
    public void Lose() => _isIncomplete |= _last is not null;

    /// <summary>Completes the next frame that the reader gets.</summary>
    public void Complete(FrameState frame)
    {
        if (_last is { } last && everyGameLoops <= 1 && frame.Dropped == 0 && frame.Sequence > last.Sequence + 1
            && frame.GameLoop > last.GameLoop && (_firstDropped is not null || _isIncomplete))
        {
            frame.Dropped = frame.Sequence - last.Sequence - 1;
            frame.DroppedLoops = (_firstDropped ?? last.GameLoop + 1, frame.GameLoop - 1);
        }
        if (_entries > 0)
        {
            frame.Content.SetSkippedEvents(_events.ToByteArray());
            (_events, _entries) = (new ResponseObservation(), 0);
        }
        frame.SkippedEventsIncomplete |= _isIncomplete;
        (_isIncomplete, _firstDropped, _last) = (false, null, (frame.Sequence, frame.GameLoop));
    }

    private Observation Observation => _events.Observation ??= new Observation();
}
