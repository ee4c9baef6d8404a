using Google.Protobuf.Reflection;
using SC2APIProtocol;

namespace Abathur.Synth.Tests;

/// <summary>The figures by which generated observations are held against real ones; the same code measures both.</summary>
internal sealed class ObservationFigures
{
    private static readonly IList<FieldDescriptor> UnitFields = Unit.Descriptor.Fields.InFieldNumberOrder();

    private readonly Dictionary<(Alliance, DisplayType), (long Bytes, long Count)> _kinds = [];
    private readonly Dictionary<string, long> _changes = [];
    private Dictionary<ulong, Unit> _before = [];
    private uint _loop;
    private long _unitsAgain;
    private long _unitsChanged;

    public int Frames { get; private set; }
    public int MinBytes { get; private set; } = int.MaxValue;
    public int MaxBytes { get; private set; }
    public int GridBytes { get; private set; }
    public int MinUnits { get; private set; } = int.MaxValue;
    public int MaxUnits { get; private set; }

    /// <summary>Share of the units of the game loop before that differ in any field.</summary>
    public double Changed => (double)_unitsChanged / _unitsAgain;

    /// <summary>Share of the changed units in which this field differs.</summary>
    public double ChangedIn(string field) => (double)_changes.GetValueOrDefault(field) / _unitsChanged;

    /// <summary>Mean bytes of a unit's message.</summary>
    public double BytesOf(Alliance alliance, DisplayType display) =>
        _kinds.TryGetValue((alliance, display), out var kind) ? (double)kind.Bytes / kind.Count : double.NaN;

    public static ObservationFigures Of(IEnumerable<byte[]> frames, bool follow = true)
    {
        var figures = new ObservationFigures();
        foreach (var frame in frames) figures.Add(frame, follow);
        return figures;
    }

    public override string ToString() =>
        $"frames {Frames}, bytes {MinBytes}..{MaxBytes}, grids {GridBytes}, units {MinUnits}..{MaxUnits}; own "
            + $"{BytesOf(Alliance.Self, DisplayType.Visible):f1} B, "
        + $"enemy {BytesOf(Alliance.Enemy, DisplayType.Visible):f1} B, neutral {BytesOf(Alliance.Neutral, DisplayType.Visible):f1} B, "
        + $"snapshot {BytesOf(Alliance.Neutral, DisplayType.Snapshot):f1} B; changed {Changed:p1}, in these pos {ChangedIn("pos"):p1}, "
        + $"facing {ChangedIn("facing"):p1}, orders {ChangedIn("orders"):p1}, energy {ChangedIn("energy"):p1}, "
        + $"weapon_cooldown {ChangedIn("weapon_cooldown"):p1}, health {ChangedIn("health"):p1}";

    private void Add(byte[] frame, bool follow)
    {
        var observation = ResponseObservation.Parser.ParseFrom(frame).Observation;
        var raw = observation.RawData;
        if (observation.GameLoop != _loop + 1) _before = [];
        _loop = observation.GameLoop;
        Frames++;
        MinBytes = Math.Min(MinBytes, frame.Length);
        MaxBytes = Math.Max(MaxBytes, frame.Length);
        MinUnits = Math.Min(MinUnits, raw.Units.Count);
        MaxUnits = Math.Max(MaxUnits, raw.Units.Count);
        GridBytes = raw.MapState.Visibility.Data.Length + raw.MapState.Creep.Data.Length;
        foreach (var unit in raw.Units)
        {
            var (bytes, count) = _kinds.GetValueOrDefault((unit.Alliance, unit.DisplayType));
            _kinds[(unit.Alliance, unit.DisplayType)] = (bytes + unit.CalculateSize(), count + 1);
            if (follow && _before.TryGetValue(unit.Tag, out var old)) Compare(old, unit);
        }

        if (follow) _before = raw.Units.ToDictionary(static unit => unit.Tag);
    }

    private void Compare(Unit old, Unit unit)
    {
        _unitsAgain++;
        if (old.Equals(unit)) return;
        _unitsChanged++;
        foreach (var field in UnitFields)
        {
            if (!Equals(field.Accessor.GetValue(old), field.Accessor.GetValue(unit)))
                _changes[field.Name] = _changes.GetValueOrDefault(field.Name) + 1;
        }
    }
}
