using Abathur.Sync.V1;
using Google.Protobuf;

namespace Abathur.Sync.Drawing;

/// <summary>
/// All that agents have drawn and that is in force: a state, not a list of events, so that a client that looks late, or seldom, sees the same as the others.
/// Bounded. Thread-safe.
/// </summary>
public sealed class DrawingBoard
{
    /// <summary>Shapes in force at once, of all agents.</summary>
    public const int MaxShapes = 4000;

    /// <summary>Layers at once.</summary>
    public const int MaxLayers = 64;

    /// <summary>Bytes of a recorded state. One of <see cref="MaxShapes"/> with the longest texts has as much.</summary>
    private const int MaxRecordedBytes = 2 * 1024 * 1024;

    private readonly Lock _gate = new();
    private readonly SortedDictionary<string, List<Entry>> _layers = new(StringComparer.Ordinal);
    private Drawings _recorded = new();
    private ReadOnlyMemory<byte> _recordedBytes;
    private Drawings? _current;
    private uint _gameLoop;
    private int _shapes;
    private long _version;

    /// <summary>Called, on the thread that changed it, when something was drawn or removed. Must neither block nor throw.</summary>
    public event Action? Changed;

    /// <summary>Counts the changes; 0 as long as nothing was ever drawn.</summary>
    public long Version => Volatile.Read(ref _version);

    /// <summary>Draws. Shapes of the layer that have no lifetime go first; a request without shapes clears the layer.</summary>
    /// <param name="request">Checked (<see cref="DrawingRules"/>).</param>
    /// <returns>The result; null where more would be in force than <see cref="MaxShapes"/> or <see cref="MaxLayers"/>: then nothing has changed.</returns>
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

    /// <summary>Sets the game loop. Removes what has expired, and, where a playback went back, what was drawn at later loops.</summary>
    public void Advance(uint gameLoop)
    {
        lock (_gate)
        {
            // What is drawn is in force where the game stands: a live frame, whose drawings are recorded before it is published, comes here twice.
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

    /// <summary>Shows what a recording has drawn, besides what is drawn now. What cannot be read of it is omitted.</summary>
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

    /// <summary>What is drawn now. It is shared: not to be changed.</summary>
    /// <param name="version">Which <see cref="Version"/> it is.</param>
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
                foreach (var bad in layer.Shapes.Where(drawn => drawn.Shape is null || DrawingRules.Problem(drawn.Shape) is not null).ToList()) layer.Shapes.Remove(bad);
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

    /// <summary>A shape in force.</summary>
    /// <param name="Shape">The shape.</param>
    /// <param name="DrawnAt">Game loop at which it was drawn: in a playback that goes back before it, it is not there yet.</param>
    /// <param name="Until">First game loop at which it is gone; null: it stays until the layer is drawn again.</param>
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
