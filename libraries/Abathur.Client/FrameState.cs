using SC2APIProtocol;
using WireEncoding = Abathur.Sync.V1.Encoding;

namespace Abathur.Client;

/// <summary>What a subscription uses again and again for its frames: what is known of the newest observation, and its content. Each
/// <see cref="GameFrame"/> is a view of it, for one version.</summary>
internal sealed class FrameState(FrameContent content)
{
    private UnitTables? _units;
    private ResponseObservation? _response;
    private ResponseObservation? _rest;
    private ResponseObservation? _skippedEvents;
    private bool _unitsAreRead;

    public FrameContent Content => content;

    /// <summary>Grows with each observation; frames of another version are not valid any more.</summary>
    public int Version { get; private set; } = 1;

    public string MatchId { get; set; } = "";

    public string RunId { get; set; } = "";

    public ulong Sequence { get; set; }

    public uint GameLoop { get; set; }

    public ulong Dropped { get; set; }

    public (uint First, uint Last)? DroppedLoops { get; set; }

    public bool Reconnected { get; set; }

    public int Size { get; set; }

    public FrameTiming Timing { get; set; }

    public bool SkippedEventsIncomplete { get; set; }

    /// <summary>The tables of the units, which are filled when this is first read.</summary>
    /// <exception cref="ProtocolException">The observation cannot be parsed.</exception>
    public UnitTables Units
    {
        get
        {
            _units ??= new UnitTables(content.Cells, Version);
            if (!_unitsAreRead)
            {
                content.ReadUnits();
                _units.Reset();
                _unitsAreRead = true;
            }
            return _units;
        }
    }

    public ResponseObservation Response => _response ??= ServerText.Parse<ResponseObservation>(content.ObservationBytes.Span);

    public ResponseObservation Rest => content.HasColumns
        ? _rest ??= ServerText.Parse<ResponseObservation>(content.RestBytes.Span)
        : Response;

    public ResponseObservation? SkippedEvents => content.SkippedEvents is { } bytes
        ? _skippedEvents ??= ServerText.Parse<ResponseObservation>(bytes.Span)
        : null;

    public IReadOnlyList<UnitEvent> Events => content.Events(new GameFrame(this));

    /// <summary>A state of its own with the same observation.</summary>
    public FrameState Clone()
    {
        var copy = FrameContent.Of(content.ObservationBytes.ToArray());
        copy.SetSkippedEvents(content.SkippedEvents?.ToArray());
        copy.SetEvents([.. content.EventsIfTracked(new GameFrame(this))]);
        return new FrameState(copy)
        {
            MatchId = MatchId,
            RunId = RunId,
            Sequence = Sequence,
            GameLoop = GameLoop,
            Dropped = Dropped,
            DroppedLoops = DroppedLoops,
            Reconnected = Reconnected,
            Size = Size,
            Timing = Timing,
            SkippedEventsIncomplete = SkippedEventsIncomplete,
        };
    }

    /// <summary>The next frame is asked for: what is a view of the connection's buffer is not valid any more.</summary>
    public void Release()
    {
        if (content.IsView) Expire();
    }

    /// <summary>Forgets what was read of the previous observation.</summary>
    public void Reset()
    {
        Expire();
        _response = _rest = _skippedEvents = null;
        _unitsAreRead = false;
        Reconnected = false;
    }

    private void Expire()
    {
        Version++;
        if (_units is not null) _units.Version = Version;
    }

    public void Read(in FrameMessage message, string runId, long receivedNs, int size)
    {
        Reset();
        RunId = runId;
        if (!Utf8Name.Is(MatchId, message.MatchId.Span)) MatchId = System.Text.Encoding.UTF8.GetString(message.MatchId.Span);
        Sequence = message.Sequence;
        GameLoop = message.GameLoop;
        Dropped = message.Dropped;
        DroppedLoops = message.Dropped > 0 ? (message.DroppedFirstGameLoop, message.DroppedLastGameLoop) : null;
        SkippedEventsIncomplete = message.SkippedEventsIncomplete;
        Size = size;
        var encoded = message.EncodedMonotonicNs == 0 ? message.PublishedMonotonicNs : message.EncodedMonotonicNs;
        Timing = new FrameTiming(
            message.CapturedMonotonicNs, message.CapturedUnixNs, message.PublishedMonotonicNs, encoded, receivedNs);
        if (message.Encoding is not (WireEncoding.Proto or WireEncoding.Json or WireEncoding.Columns or WireEncoding.Auto))
            throw new ProtocolException($"frame {Sequence} is in the unknown encoding {(int)message.Encoding}");
        content.Read(message);
    }
}
