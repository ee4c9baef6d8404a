using Abathur.Sync.V1;
using Google.Protobuf;

namespace Abathur.Sync.Matches.Drawing;

/// <summary>
/// The current drawings of all agents: a state, not a list of events, so that a client that reads it late or rarely sees the same as the
/// others. Bounded. Thread-safe.
/// </summary>
public sealed class DrawingBoard
{
    /// <summary>Maximum number of shapes, of all agents.</summary>
    public const int MaxShapes = 4000;

    /// <summary>Maximum number of layers.</summary>
    public const int MaxLayers = 64;

    /// <summary>Maximum bytes of a recorded state: <see cref="MaxShapes"/> shapes with the longest texts.</summary>
    private const int MaxRecordedBytes = 2 * 1024 * 1024;

    private readonly Lock _gate = new();
    private readonly SortedDictionary<string, List<Entry>> _layers = new(StringComparer.Ordinal);
    private Drawings _recorded = new();
    private ReadOnlyMemory<byte> _recordedBytes;
    private Drawings? _current;
    private uint _gameLoop;
    private int _shapes;
    private long _version;

    /// <summary>Raised when something was drawn or removed, on the thread that changed it. Handlers must neither block nor throw.</summary>
    public event Action? Changed;

    /// <summary>Number of changes; 0 before the first drawing.</summary>
    public long Version => Volatile.Read(ref _version);

    /// <summary>Draws. Replaces the shapes of the layer that have no lifetime; a request without shapes clears the layer.</summary>
    /// <param name="request">Checked (<see cref="DrawingRules"/>).</param>
    /// <returns>The result; null if there would be more than <see cref="MaxShapes"/> or <see cref="MaxLayers"/>: nothing has changed
    /// then.</returns>
    public DrawResult? TryDraw(DrawRequest request)
    {
        DrawResult result;
        lock (_gate)
        {
            var from = request.HasGameLoop ? request.GameLoop : _gameLoop;
            var old = _layers.GetValueOrDefault(request.Layer, []);
            var drawn = new List<Entry>();
            if (request.Shapes.Count > 0) drawn.AddRange(old.Where(entry => entry.Until is not null));
            drawn.AddRange(request.Shapes.Select(shape => Entry.Of(shape, from, _gameLoop)).Where(entry => entry.IsInForce(_gameLoop)));
            var shapes = _shapes - old.Count + drawn.Count;
            if (shapes > MaxShapes || (drawn.Count > 0 && old.Count == 0 && _layers.Count >= MaxLayers)) return null;
            _shapes = shapes;
            if (drawn.Count > 0) _layers[request.Layer] = drawn;
            else _layers.Remove(request.Layer);
            result = new DrawResult { GameLoop = from, Shapes = (uint)shapes };
            if (drawn.Count == 0 && old.Count == 0) return result;
            CountChange();
        }
        Changed?.Invoke();
        return result;
    }

    /// <summary>Sets the game loop. Removes expired shapes and, if a playback went back, shapes drawn at later loops.</summary>
    public void Advance(uint gameLoop)
    {
        lock (_gate)
        {
            // Called twice for a live frame, whose drawings are recorded before it is published.
            if (gameLoop == _gameLoop) return;
            _gameLoop = gameLoop;
            if (_shapes == 0) return;
            var gone = 0;
            foreach (var entries in _layers.Values) gone += entries.RemoveAll(entry => !entry.IsInForce(gameLoop));
            if (gone == 0) return;
            _shapes -= gone;
            foreach (var name in _layers.Where(layer => layer.Value.Count == 0).Select(layer => layer.Key).ToList()) _layers.Remove(name);
            CountChange();
        }
        Changed?.Invoke();
    }

    /// <summary>Shows the drawings of a recording besides the current ones. Unreadable drawings are omitted.</summary>
    /// <param name="drawings">A serialized <see cref="Drawings"/>, which must not change; empty: nothing.</param>
    public void ShowRecorded(ReadOnlyMemory<byte> drawings)
    {
        lock (_gate)
        {
            if (drawings.Equals(_recordedBytes) || (drawings.IsEmpty && _recordedBytes.IsEmpty)) return;
            _recordedBytes = drawings;
            _recorded = Read(drawings);
            CountChange();
        }
        Changed?.Invoke();
    }

    /// <summary>Shows an earlier state of another board, in place of the one before.</summary>
    /// <param name="drawings">Not changed any more.</param>
    public void Show(Drawings drawings)
    {
        lock (_gate)
        {
            _recorded = drawings;
            CountChange();
        }
        Changed?.Invoke();
    }

    /// <summary>The current drawings. The object is shared and must not be changed.</summary>
    /// <param name="version">Its <see cref="Version"/>.</param>
    public Drawings Read(out long version)
    {
        lock (_gate)
        {
            version = _version;
            return _current ??= Describe();
        }
    }

    private static Drawings Read(ReadOnlyMemory<byte> recorded)
    {
        if (recorded.IsEmpty || recorded.Length > MaxRecordedBytes) return new Drawings();
        try
        {
            var drawings = Drawings.Parser.ParseFrom(recorded.Span);
            foreach (var layer in drawings.Layers)
            {
                layer.Recorded = true;
                foreach (var bad in layer.Shapes.Where(
                    drawn => drawn.Shape is null || DrawingRules.Problem(drawn.Shape) is not null).ToList())
                    layer.Shapes.Remove(bad);
            }
            return drawings;
        }
        catch (InvalidProtocolBufferException)
        {
            return new Drawings();
        }
    }

    private Drawings Describe()
    {
        var drawings = new Drawings { GameLoop = _gameLoop };
        drawings.Layers.AddRange(_recorded.Layers);
        foreach (var (name, entries) in _layers)
        {
            var layer = new Drawings.Types.Layer { Name = name };
            layer.Shapes.AddRange(entries.Select(entry => entry.ToDrawn()));
            drawings.Layers.Add(layer);
        }
        return drawings;
    }

    private void CountChange()
    {
        _current = null;
        Volatile.Write(ref _version, _version + 1);
    }

    /// <summary>A current shape.</summary>
    /// <param name="Shape">The shape.</param>
    /// <param name="DrawnAt">Game loop at which it was drawn: a playback that goes back before it removes it.</param>
    /// <param name="Until">First game loop at which it is no longer shown; null: it stays until the layer is drawn again.</param>
    private sealed record Entry(Shape Shape, uint DrawnAt, uint? Until)
    {
        public static Entry Of(Shape shape, uint from, uint drawnAt)
        {
            uint? until = shape.LifetimeGameLoops == 0 ? null : (uint)Math.Min((ulong)from + shape.LifetimeGameLoops, uint.MaxValue);
            return new Entry(shape, drawnAt, until);
        }

        public bool IsInForce(uint gameLoop) => gameLoop >= DrawnAt && (Until is null || gameLoop < Until);

        public Drawings.Types.Drawn ToDrawn()
        {
            var drawn = new Drawings.Types.Drawn { Shape = Shape };
            if (Until is { } until) drawn.UntilGameLoop = until;
            return drawn;
        }
    }
}
