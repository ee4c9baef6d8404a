using Abathur.Columns.Encoding;
using Abathur.Columns.Tables;
using Abathur.Protobuf.Wire;
using Google.Protobuf;

namespace Abathur.Columns;

/// <summary>
/// The units of one serialized <c>ResponseObservation</c> as tables: the columns of <c>docs/columns.md</c>, with rows in the order of the
/// message. Repeated reading keeps the memory of the largest observation. Not thread-safe.
/// </summary>
public sealed class ObservationTables
{
    private readonly UnitParser _parser = new();

    // Fields of ResponseObservation, Observation and ObservationRaw.
    private static ReadOnlySpan<int> PathToUnits => [3, 5, 2];

    /// <summary>Reads the units of an observation; those of the previous one are discarded.</summary>
    /// <exception cref="InvalidDataException">It is not a protobuf message. There are no units then.</exception>
    public void Read(ReadOnlySpan<byte> observation)
    {
        _parser.Clear();
        try
        {
            Read(observation, 0, observation.Length, PathToUnits);
        }
        catch (InvalidDataException)
        {
            _parser.Clear();
            throw;
        }
    }

    /// <summary>Number of rows in a table.</summary>
    public int Rows(TableId table) => _parser.Rows(table).Count;

    /// <summary>A cell; for a float the integer q, whose kind is in the column <c>kinds</c>.</summary>
    public long GetCell(TableId table, int column, int row) => _parser.Rows(table)[row][column];

    /// <summary>The value of a cell that is a float.</summary>
    public float GetFloat(TableId table, int column, int row)
    {
        var cells = _parser.Rows(table)[row];
        var kind = (int)(cells[ColumnsFormat.Tables[(int)table].Kinds] >> (2 * column)) & 3;
        return BitConverter.UInt32BitsToSingle(FloatCell.ToBits(cells[column], kind));
    }

    private void Read(ReadOnlySpan<byte> observation, int start, int length, ReadOnlySpan<int> path)
    {
        var reader = new WireReader(observation.Slice(start, length));
        while (reader.ReadTag())
        {
            if (reader.FieldNumber != path[0] || reader.WireType != WireFormat.WireType.LengthDelimited)
            {
                reader.SkipValue();
                continue;
            }
            var (innerStart, innerLength) = reader.ReadRange().GetOffsetAndLength(length);
            if (path.Length > 1) Read(observation, start + innerStart, innerLength, path[1..]);
            else _parser.Parse(observation, start + innerStart, innerLength);
        }
    }
}
