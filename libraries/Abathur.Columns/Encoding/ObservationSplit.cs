using Abathur.Columns.Tables;
using Abathur.Protobuf.Wire;
using Google.Protobuf;

namespace Abathur.Columns.Encoding;

/// <summary>Splits a serialized observation: units into tables, the data of the grids, and the rest as protobuf.</summary>
internal sealed class ObservationSplit(UnitIntake units)
{
    private readonly WireWriter _rest = new();
    private readonly Range?[] _grids = new Range?[2];

    /// <summary>The observation without units and grids.</summary>
    public ReadOnlySpan<byte> Rest => _rest.WrittenSpan;

    /// <summary>Where the grid's data is in the observation, or null.</summary>
    public Range? Grid(BlobId grid) => _grids[(int)grid];

    /// <summary>Splits a <c>ResponseObservation</c>.</summary>
    /// <exception cref="InvalidDataException">It is not a protobuf message.</exception>
    public void Split(ReadOnlySpan<byte> observation)
    {
        _rest.Clear();
        _grids[0] = _grids[1] = null;
        Walk(observation, 0, observation.Length, Level.Response);
    }

    private void Walk(ReadOnlySpan<byte> observation, int start, int length, Level level)
    {
        var reader = new WireReader(observation.Slice(start, length));
        var copied = 0;
        while (reader.ReadTag())
        {
            var inner = reader.WireType == WireFormat.WireType.LengthDelimited ? Below(level, reader.FieldNumber) : Level.None;
            if (inner == Level.None)
            {
                reader.SkipValue();
                continue;
            }
            var (fieldStart, number) = (reader.FieldStart, reader.FieldNumber);
            var (innerStart, innerLength) = reader.ReadRange().GetOffsetAndLength(length);
            innerStart += start;
            if (inner == Level.Unit && !units.TryTake(observation, innerStart, innerLength)) continue;
            _rest.Write(observation[(start + copied)..(start + fieldStart)]);
            copied = reader.Position;
            if (inner == Level.Unit) continue;
            if (inner == Level.Data)
            {
                _grids[level == Level.Visibility ? 0 : 1] = innerStart..(innerStart + innerLength);
                continue;
            }
            var begin = _rest.Begin(number);
            Walk(observation, innerStart, innerLength, inner);
            _rest.End(begin);
        }
        _rest.Write(observation[(start + copied)..(start + length)]);
    }

    private static Level Below(Level level, int number) => (level, number) switch
    {
        (Level.Response, 3) => Level.Observation,
        (Level.Observation, 5) => Level.RawData,
        (Level.RawData, 2) => Level.Unit,
        (Level.RawData, 3) => Level.MapState,
        (Level.MapState, 1) => Level.Visibility,
        (Level.MapState, 2) => Level.Creep,
        (Level.Visibility or Level.Creep, 3) => Level.Data,
        _ => Level.None,
    };

    private enum Level
    {
        None,
        Response,
        Observation,
        RawData,
        MapState,
        Visibility,
        Creep,
        Unit,
        Data,
    }
}
