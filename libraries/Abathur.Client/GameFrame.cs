using Google.Protobuf;
using SC2APIProtocol;
using WireEncoding = Abathur.Sync.V1.Encoding;

namespace Abathur.Client;

/// <summary>One observation and what is known of it.</summary>
/// <remarks>
/// A subscription uses one frame object again and again, and allocates nothing for the next frame. The frame, its spans and its unit views
/// are valid until the next frame is asked for; <see cref="Keep"/> makes a copy that stays. Messages (<see cref="Response"/>,
/// <see cref="SkippedEvents"/>) stay valid. Not thread-safe.
/// </remarks>
public sealed class GameFrame
{
    private readonly FrameContent _content;
    private UnitColumns? _units;
    private Grids? _grids;
    private ResponseObservation? _response;
    private ResponseObservation? _rest;
    private ResponseObservation? _skippedEvents;
    private bool _unitsAreRead;

    internal GameFrame(FrameContent content) => _content = content;

    /// <summary>A frame with an observation of your own, e.g. for tests: no daemon is needed. It has no events.</summary>
    public static GameFrame From(ResponseObservation observation) =>
        From(observation.ToByteArray(), observation.Observation?.GameLoop ?? 0);

    /// <summary>A frame with a serialized <c>ResponseObservation</c>, which is not copied.</summary>
    /// <param name="observation">Its bytes.</param>
    /// <param name="gameLoop">Its game loop.</param>
    public static GameFrame From(ReadOnlyMemory<byte> observation, uint gameLoop) =>
        new(FrameContent.Of(observation)) { GameLoop = gameLoop, Sequence = 1, Size = observation.Length };

    /// <summary>Identifies the match.</summary>
    public string MatchId { get; internal set; } = "";

    /// <summary>Identifies the run of the source: a match that is played again has another one. Empty for a frame of your own.</summary>
    public string RunId { get; internal set; } = "";

    /// <summary>Number of the frame in this run of the source, from 1.</summary>
    public ulong Sequence { get; internal set; }

    /// <summary>Game loop of the observation.</summary>
    public uint GameLoop { get; internal set; }

    /// <summary>Number of frames that were dropped between the previous frame and this one.</summary>
    public ulong Dropped { get; internal set; }

    /// <summary>First and last game loop among the dropped frames; null if nothing was dropped.</summary>
    public (uint First, uint Last)? DroppedLoops { get; internal set; }

    /// <summary>Whether the connection broke between the previous frame and this one, and was made again.</summary>
    public bool Reconnected { get; internal set; }

    /// <summary>Bytes of the message that carried the frame; for a recording the bytes of the observation.</summary>
    public int Size { get; internal set; }

    /// <summary>When it was captured, published, encoded and received.</summary>
    public FrameTiming Timing { get; internal set; }

    /// <summary>All units as columns. With encoding <see cref="FrameEncoding.Columns"/> they are decoded already; else they are parsed when
    /// this is first read.</summary>
    /// <exception cref="ProtocolException">The observation cannot be parsed.</exception>
    public UnitColumns Units
    {
        get
        {
            _units ??= new UnitColumns(_content.Cells);
            if (!_unitsAreRead)
            {
                _content.ReadUnits();
                _units.Reset();
                _unitsAreRead = true;
            }
            return _units;
        }
    }

    /// <summary>The map as images: visibility and creep.</summary>
    public Grids Grids => _grids ??= new Grids(this, _content);

    /// <summary>The serialized <c>ResponseObservation</c>: with <see cref="FrameEncoding.Proto"/> the bytes of the game, else rebuilt when
    /// this is read.</summary>
    public ReadOnlyMemory<byte> ObservationBytes => _content.ObservationBytes;

    /// <summary>The whole message: observation, actions, action errors, chat, results. Parsed when it is first read.</summary>
    /// <exception cref="ProtocolException">It cannot be parsed.</exception>
    public ResponseObservation Response =>
        _response ??= ServerText.Parse<ResponseObservation>(_content.ObservationBytes.Span);

    /// <summary>The observation in <see cref="Response"/>; empty if it is absent.</summary>
    public Observation Observation => Response.Observation ??= new Observation();

    /// <summary>Everything that is not in <see cref="Units"/> and <see cref="Grids"/>: player, score, effects, chat, results. Cheap with
    /// <see cref="FrameEncoding.Columns"/>; else it is <see cref="Response"/>.</summary>
    public ResponseObservation Rest => _content.HasColumns
        ? _rest ??= ServerText.Parse<ResponseObservation>(_content.RestBytes.Span)
        : Response;

    /// <summary>What happened once, in frames between the previous one and this one that this reader did not get: their actions, action
    /// errors, chat, player results, alerts and dead units. Null where there is nothing.</summary>
    public ResponseObservation? SkippedEvents => _content.SkippedEvents is { } bytes
        ? _skippedEvents ??= ServerText.Parse<ResponseObservation>(bytes.Span)
        : null;

    /// <summary>Whether <see cref="SkippedEvents"/> lacks something: there was too much, or the connection broke.</summary>
    public bool SkippedEventsIncomplete { get; internal set; }

    /// <summary>What happened to units between the previous frame and this one. The first frame whose events are read has none; from then
    /// on
    /// each frame of the subscription is compared with the one before it.</summary>
    public IReadOnlyList<UnitEvent> Events => _content.Events(this);

    /// <summary>A copy that stays valid, on which the units are parsed when they are first read.</summary>
    public GameFrame Keep()
    {
        var copy = FrameContent.Of(_content.ObservationBytes.ToArray());
        copy.SetSkippedEvents(_content.SkippedEvents?.ToArray());
        copy.SetEvents([.. _content.EventsIfTracked(this)]);
        return new GameFrame(copy)
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

    /// <summary>Sequence, game loop and drops.</summary>
    public override string ToString() =>
        $"frame {Sequence} at game loop {GameLoop}{(Dropped > 0 ? $", {Dropped} dropped before" : "")}";

    internal FrameContent Content => _content;

    /// <summary>Forgets what was read of the previous observation.</summary>
    internal void Reset()
    {
        _response = _rest = _skippedEvents = null;
        _unitsAreRead = false;
        Reconnected = false;
    }

    internal void Read(in FrameMessage message, string runId, long receivedNs, int size)
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
        _content.Read(message);
    }
}
