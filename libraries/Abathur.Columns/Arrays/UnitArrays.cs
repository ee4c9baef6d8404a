using Abathur.Protobuf.Wire;
using Google.Protobuf;
using static Abathur.Columns.Arrays.UnitArrayType;

namespace Abathur.Columns.Arrays;

/// <summary>
/// The units of observations as arrays, straight from their wire bytes: a row for each unit, in the order of the messages, and an array for
/// each field that is a number. A field that a unit does not have has the protocol's default. Not thread-safe.
/// </summary>
public sealed class UnitArrays
{
    private const int PositionField = 6;
    private readonly UnitArray[] _arrays;
    private readonly UnitArray?[] _byField = new UnitArray?[64];
    private readonly UnitArray[] _position;
    private readonly UnitArray[] _startAtOne;
    private int _capacity;

    /// <summary>Begins without units.</summary>
    public UnitArrays()
    {
        UnitArray alliance = new("alliance", Signed8), display = new("display_type", Signed8);
        // The first value of these enums, which is their default, is 1.
        _startAtOne = [alliance, display];
        _position = [new("x", Real32), new("y", Real32), new("z", Real32)];
        _arrays =
        [
            Field(3, new("tag", Unsigned64)), Field(4, new("unit_type", Unsigned32)), Field(5, new("owner", Signed32)),
            Field(2, alliance), Field(1, display), Field(10, new("cloak", Signed8)),
            .. _position,
            Field(7, new("facing", Real32)), Field(8, new("radius", Real32)), Field(9, new("build_progress", Real32)),
            Field(31, new("detect_range", Real32)), Field(32, new("radar_range", Real32)),
            Field(14, new("health", Real32)), Field(15, new("health_max", Real32)),
            Field(16, new("shield", Real32)), Field(36, new("shield_max", Real32)),
            Field(17, new("energy", Real32)), Field(37, new("energy_max", Real32)),
            Field(30, new("weapon_cooldown", Real32)),
            Field(18, new("mineral_contents", Signed32)), Field(19, new("vespene_contents", Signed32)),
            Field(28, new("assigned_harvesters", Signed32)), Field(29, new("ideal_harvesters", Signed32)),
            Field(25, new("cargo_space_taken", Signed32)), Field(26, new("cargo_space_max", Signed32)),
            Field(40, new("attack_upgrade_level", Signed32)), Field(41, new("armor_upgrade_level", Signed32)),
            Field(42, new("shield_upgrade_level", Signed32)),
            Field(34, new("engaged_target_tag", Unsigned64)), Field(23, new("add_on_tag", Unsigned64)),
            Field(20, new("is_flying", Flag)), Field(21, new("is_burrowed", Flag)), Field(38, new("is_hallucination", Flag)),
            Field(12, new("is_on_screen", Flag)), Field(11, new("is_selected", Flag)), Field(13, new("is_blip", Flag)),
            Field(35, new("is_powered", Flag)), Field(39, new("is_active", Flag)),
            Field(43, new("buff_duration_remain", Signed32)), Field(44, new("buff_duration_max", Signed32)),
        ];
    }

    /// <summary>The arrays, always in the same order.</summary>
    public IReadOnlyList<UnitArray> Arrays => _arrays;

    /// <summary>Number of units.</summary>
    public int Rows { get; private set; }

    // Fields of ResponseObservation, Observation and ObservationRaw.
    private static ReadOnlySpan<int> PathToUnits => [3, 5, 2];

    /// <summary>Adds the units of a <c>ResponseObservation</c> and returns their number.</summary>
    /// <exception cref="InvalidDataException">It is not a protobuf message. No unit was added.</exception>
    public int Add(ReadOnlySpan<byte> observation)
    {
        var before = Rows;
        var isRead = false;
        try
        {
            AddUnits(observation, PathToUnits);
            isRead = true;
        }
        finally
        {
            Resize(Rows);
            if (!isRead) Resize(before);
        }
        return Rows - before;
    }

    /// <summary>Removes all units.</summary>
    public void Clear() => Resize(0);

    private UnitArray Field(int number, UnitArray array) => _byField[number] = array;

    private void Resize(int rows)
    {
        foreach (var array in _arrays) array.Resize(rows);
        Rows = rows;
    }

    private void Grow()
    {
        _capacity = Math.Max(1024, 2 * _capacity);
        foreach (var array in _arrays) array.Reserve(_capacity);
    }

    private void AddUnits(ReadOnlySpan<byte> message, ReadOnlySpan<int> path)
    {
        var reader = new WireReader(message);
        while (reader.ReadTag())
        {
            if (reader.FieldNumber != path[0] || reader.WireType != WireFormat.WireType.LengthDelimited) reader.SkipValue();
            else if (path.Length > 1) AddUnits(reader.ReadBytes(), path[1..]);
            else AddUnit(reader.ReadBytes());
        }
    }

    private void AddUnit(ReadOnlySpan<byte> unit)
    {
        if (Rows == _capacity) Grow();
        var row = Rows++;
        foreach (var array in _startAtOne) array.Set(row, 1);
        var reader = new WireReader(unit);
        while (reader.ReadTag())
        {
            var field = reader.FieldNumber < _byField.Length ? _byField[reader.FieldNumber] : null;
            if (field?.WireType == reader.WireType) field.Read(row, ref reader);
            else if (reader is { FieldNumber: PositionField, WireType: WireFormat.WireType.LengthDelimited })
                ReadPosition(reader.ReadBytes(), row);
            else reader.SkipValue();
        }
    }

    private void ReadPosition(ReadOnlySpan<byte> point, int row)
    {
        var reader = new WireReader(point);
        while (reader.ReadTag())
        {
            if (reader.FieldNumber <= _position.Length && reader.WireType == WireFormat.WireType.Fixed32)
                _position[reader.FieldNumber - 1].Read(row, ref reader);
            else reader.SkipValue();
        }
    }
}
