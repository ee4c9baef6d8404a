using Abathur.Recordings;
using Abathur.Sc2;

namespace Abathur.Emulator.MatchData;

/// <summary>The recorded observation of any game loop: the newest one at or before it. One thread at a time.</summary>
/// <remarks>Moves forward without seeking and holds one observation; moving back restarts from where it was rewound to.</remarks>
/// <param name="recording">The recording; the caller keeps it.</param>
public sealed class ObservationTimeline(RecordingReader recording)
{
    private readonly SkippedEvents _skipped = new();
    private byte[] _current = [];
    private int _length;
    private bool _started;
    private bool _isObserved;
    private RecordedObservation? _next;
    private uint _first;

    /// <summary>Game loop of the observation that was requested last.</summary>
    public uint GameLoop { get; private set; }

    /// <summary>Goes before the first observation at or after a game loop. Those before it are not read.</summary>
    /// <exception cref="Abathur.Mcap.McapException">The file is damaged before that observation.</exception>
    /// <exception cref="RecordingException">An observation is not readable.</exception>
    public void Rewind(uint firstGameLoop = 0)
    {
        _first = firstGameLoop;
        if (firstGameLoop > recording.FirstGameLoop) recording.SeekToGameLoop(firstGameLoop);
        else recording.Rewind();
        _skipped.Clear();
        _started = false;
        _next = null;
    }

    /// <summary>The serialized <c>ResponseObservation</c> of a loop; the first one if the loop is before it.</summary>
    /// <returns>A view that is valid until the next call.</returns>
    /// <exception cref="Abathur.Mcap.McapException">The file is damaged there.</exception>
    /// <exception cref="RecordingException">An observation is not readable.</exception>
    public ReadOnlyMemory<byte> At(uint gameLoop)
    {
        if (_started && gameLoop < GameLoop) Rewind(_first);
        if (!_started)
        {
            _next = ReadNext();
            if (_next is { } first) Take(first);
            _started = true;
        }
        while (_next is { } next && next.GameLoop <= gameLoop) Take(next);
        return _current.AsMemory(0, _length);
    }

    /// <summary>The same for a client. Also returns the events of the observations that it has skipped since the last call.</summary>
    /// <param name="gameLoop">The loop.</param>
    /// <param name="skipped">Serialized fields of <c>ResponseObservation</c>: <see cref="SkippedEvents"/>.</param>
    /// <inheritdoc cref="At"/>
    public ReadOnlyMemory<byte> Observe(uint gameLoop, out ReadOnlyMemory<byte> skipped)
    {
        var observation = At(gameLoop);
        _isObserved = true;
        skipped = _skipped.ToFields();
        return observation;
    }

    /// <summary>Goes to a loop, forward or back. Events of the skipped observations are not reported to the client.</summary>
    /// <inheritdoc cref="At"/>
    public void Seek(uint gameLoop)
    {
        At(gameLoop);
        _skipped.Clear();
    }

    private void Take(in RecordedObservation observation)
    {
        if (_started && _isObserved) _skipped.Clear();
        // If the recorded client requested a loop twice, the loop is recorded twice with the same events.
        else if (_started && observation.GameLoop != GameLoop) _skipped.Add(_current.AsSpan(0, _length));
        _isObserved = false;
        // The reader's view is only valid until it moves, and it has to move to check the next one.
        if (_current.Length < observation.Payload.Length) _current = new byte[observation.Payload.Length + observation.Payload.Length / 4];
        observation.Payload.Span.CopyTo(_current);
        _length = observation.Payload.Length;
        GameLoop = observation.GameLoop;
        // If the file is damaged, this is the last one.
        _next = null;
        _next = ReadNext();
    }

    private RecordedObservation? ReadNext() => recording.ReadNext(out var observation) ? observation : null;
}
