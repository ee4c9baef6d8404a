using System.Diagnostics.CodeAnalysis;
using Google.Protobuf;
using SC2APIProtocol;

namespace Abathur.Client;

/// <summary>One observation and what is known of it.</summary>
/// <remarks>
/// A subscription uses its memory again and again, and allocates nothing for the next frame. A frame, and its units, are valid until the
/// next frame has come: then all its members throw an <see cref="InvalidOperationException"/>. <see cref="Clone"/> makes a copy that stays.
/// A frame that came as protobuf without compression, and spans, end when the next frame is asked for; spans cannot be checked. Messages
/// (<see cref="Response"/>, <see cref="SkippedEvents"/>) stay valid. Not thread-safe.
/// </remarks>
public readonly struct GameFrame : IEquatable<GameFrame>
{
    private readonly FrameState? _state;
    private readonly int _version;

    internal GameFrame(FrameState state) => (_state, _version) = (state, state.Version);

    /// <summary>A frame with an observation of your own, e.g. for tests: no daemon is needed. It has no events.</summary>
    /// <param name="observation">The observation.</param>
    public static GameFrame From(ResponseObservation observation)
    {
        ArgumentNullException.ThrowIfNull(observation);
        return From(observation.ToByteArray(), observation.Observation?.GameLoop ?? 0);
    }

    /// <summary>A frame with a serialized <c>ResponseObservation</c>, which is not copied.</summary>
    /// <param name="observation">Its bytes.</param>
    /// <param name="gameLoop">Its game loop.</param>
    public static GameFrame From(ReadOnlyMemory<byte> observation, uint gameLoop) =>
        new(new FrameState(FrameContent.Of(observation)) { GameLoop = gameLoop, Sequence = 1, Size = observation.Length });

    /// <summary>Identifies the match.</summary>
    public string MatchId => State.MatchId;

    /// <summary>Identifies the run of the source: a match that is played again has another one. Empty for a frame of your own.</summary>
    public string RunId => State.RunId;

    /// <summary>Number of the frame in this run of the source, from 1.</summary>
    public ulong Sequence => State.Sequence;

    /// <summary>Game loop of the observation.</summary>
    public uint GameLoop => State.GameLoop;

    /// <summary>The game's clock at this game loop, at its speed "faster": 22.4 game loops a second.</summary>
    public TimeSpan Time => TimeSpan.FromSeconds(GameLoop / Sc2.GameTime.LoopsPerSecond);

    /// <summary>Number of frames that were dropped between the previous frame and this one.</summary>
    public ulong Dropped => State.Dropped;

    /// <summary>First and last game loop among the dropped frames; null if nothing was dropped.</summary>
    public (uint First, uint Last)? DroppedLoops => State.DroppedLoops;

    /// <summary>Whether the connection broke between the previous frame and this one, and was made again.</summary>
    public bool Reconnected => State.Reconnected;

    /// <summary>Bytes of the message that carried the frame; for a recording the bytes of the observation.</summary>
    public int Size => State.Size;

    /// <summary>When it was captured, published, encoded and received.</summary>
    public FrameTiming Timing => State.Timing;

    /// <summary>All units as columns. With encoding <see cref="FrameEncoding.Columns"/> they are decoded already; else they are parsed when
    /// this is first read.</summary>
    /// <exception cref="ProtocolException">The observation cannot be parsed.</exception>
    public UnitColumns Units => new(State.Units, _version);

    /// <summary>The map as images: visibility and creep.</summary>
    public Grids Grids => new(this);

    /// <summary>The serialized <c>ResponseObservation</c>: with <see cref="FrameEncoding.Proto"/> the bytes of the game, else rebuilt when
    /// this is read.</summary>
    public ReadOnlyMemory<byte> ObservationBytes => State.Content.ObservationBytes;

    /// <summary>The whole message: observation, actions, action errors, chat, results. Parsed when it is first read.</summary>
    /// <exception cref="ProtocolException">It cannot be parsed.</exception>
    public ResponseObservation Response => State.Response;

    /// <summary>The observation in <see cref="Response"/>; an empty one if it is absent.</summary>
    /// <exception cref="ProtocolException">It cannot be parsed.</exception>
    public Observation Observation => Response.Observation ?? new Observation();

    /// <summary>The player's resources and supply, read from <see cref="Rest"/>; empty if the observation has none.</summary>
    /// <exception cref="ProtocolException">It cannot be parsed.</exception>
    public PlayerCommon Player => Rest.Observation?.PlayerCommon ?? new PlayerCommon();

    /// <summary>Everything that is not in <see cref="Units"/> and <see cref="Grids"/>: player, score, effects, chat, results. Cheap with
    /// <see cref="FrameEncoding.Columns"/>; else it is <see cref="Response"/>.</summary>
    /// <exception cref="ProtocolException">It cannot be parsed.</exception>
    public ResponseObservation Rest => State.Rest;

    /// <summary>What happened once, in frames between the previous one and this one that this reader did not get: their actions, action
    /// errors, chat, player results, alerts and dead units. Null where there is nothing.</summary>
    /// <exception cref="ProtocolException">It cannot be parsed.</exception>
    public ResponseObservation? SkippedEvents => State.SkippedEvents;

    /// <summary>Whether <see cref="SkippedEvents"/> lacks something: there was too much, or the connection broke.</summary>
    public bool SkippedEventsIncomplete => State.SkippedEventsIncomplete;

    /// <summary>What happened to units between the previous frame and this one. The first frame whose events are read has none; from then
    /// on each frame of the subscription is compared with the one before it. The list is used again for the next frame; its entries are
    /// values.</summary>
    /// <exception cref="ProtocolException">The observation cannot be parsed.</exception>
    public IReadOnlyList<UnitEvent> Events => State.Events;

    /// <summary>A copy that stays valid, on which the units are parsed when they are first read.</summary>
    public GameFrame Clone() => new(State.Clone());

    /// <summary>Whether two frames are the same.</summary>
    /// <param name="left">A frame.</param>
    /// <param name="right">Another one.</param>
    public static bool operator ==(GameFrame left, GameFrame right) => left.Equals(right);

    /// <summary>Whether two frames are not the same.</summary>
    /// <param name="left">A frame.</param>
    /// <param name="right">Another one.</param>
    public static bool operator !=(GameFrame left, GameFrame right) => !left.Equals(right);

    /// <summary>Whether it is the same frame; a copy is another one.</summary>
    /// <param name="other">The other frame.</param>
    public bool Equals(GameFrame other) => _state == other._state && _version == other._version;

    /// <inheritdoc/>
    public override bool Equals(object? obj) => obj is GameFrame other && Equals(other);

    /// <inheritdoc/>
    public override int GetHashCode() => HashCode.Combine(_state, _version);

    /// <summary>Sequence, game loop and drops.</summary>
    public override string ToString() =>
        !IsValid ? "frame that is not valid any more"
        : $"frame {Sequence} at game loop {GameLoop}{(Dropped > 0 ? $", {Dropped} dropped before" : "")}";

    /// <summary>What the subscription has, also where this frame is not valid any more; null for the default of this type.</summary>
    internal FrameState? Newest => _state;

    internal FrameState State => IsValid ? _state : ThrowNotValid();

    [MemberNotNullWhen(true, nameof(_state))]
    private bool IsValid => _state is not null && _state.Version == _version;

    private FrameState ThrowNotValid() => throw NotValid(_state);

    /// <summary>The exception where a frame, or what belongs to it, is not valid any more.</summary>
    /// <param name="source">Where it came from; null: it is the default of its type.</param>
    internal static InvalidOperationException NotValid(object? source) => new(
        source is null
            ? "This is the default of GameFrame, UnitColumns or UnitView: no frame or no unit was found."
            : "This GameFrame is not valid any more: the next one was taken, and uses the same memory. "
            + "To keep a frame, or units of it, take them of a copy: frame.Clone().");
}
