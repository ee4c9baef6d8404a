using System.Runtime.InteropServices;
using Abathur.Columns.Arrays;
using Apache.Arrow;
using Apache.Arrow.Ipc;
using Apache.Arrow.Types;

namespace Abathur.Sync.Cli;

/// <summary>
/// Writes the units of observations as a stream of Apache Arrow: <c>game_loop</c>, and a column for each field, in batches of bounded size.
/// </summary>
internal sealed class UnitTableWriter : IDisposable
{
    /// <summary>A batch is written when it has as many units. Few enough for the caches of a processor.</summary>
    private const int BatchRows = 16_384;

    private readonly UnitArrays _units = new();
    private readonly List<uint> _gameLoops = new(BatchRows);
    private readonly Schema _schema;
    private readonly ArrowStreamWriter _writer;

    /// <param name="output">Where it is written. It stays open.</param>
    public UnitTableWriter(Stream output)
    {
        var schema = new Schema.Builder().Field(NewField("game_loop", UInt32Type.Default));
        foreach (var array in _units.Arrays) schema.Field(NewField(array.Name, TypeOf(array.Type)));
        _schema = schema.Build();
        _writer = new ArrowStreamWriter(output, _schema, leaveOpen: true);
        _writer.WriteStart();
    }

    /// <summary>Adds the units of an observation.</summary>
    /// <exception cref="InvalidDataException">It is not a protobuf message.</exception>
    /// <exception cref="IOException">The write failed.</exception>
    public void Write(uint gameLoop, ReadOnlySpan<byte> observation)
    {
        var units = _units.Add(observation);
        CollectionsMarshal.SetCount(_gameLoops, _units.Rows);
        CollectionsMarshal.AsSpan(_gameLoops)[^units..].Fill(gameLoop);
        if (_units.Rows >= BatchRows) WriteBatch();
    }

    /// <summary>Writes what is left, and the end of the stream.</summary>
    /// <exception cref="IOException">The write failed.</exception>
    public void Finish()
    {
        if (_units.Rows > 0) WriteBatch();
        _writer.WriteEnd();
    }

    /// <inheritdoc/>
    public void Dispose() => _writer.Dispose();

    private static Field NewField(string name, IArrowType type) => new(name, type, nullable: true);

    private static IArrowType TypeOf(UnitArrayType type) => type switch
    {
        UnitArrayType.Flag => BooleanType.Default,
        UnitArrayType.Signed8 => Int8Type.Default,
        UnitArrayType.Signed32 => Int32Type.Default,
        UnitArrayType.Unsigned32 => UInt32Type.Default,
        UnitArrayType.Unsigned64 => UInt64Type.Default,
        _ => FloatType.Default,
    };

    private void WriteBatch()
    {
        var loops = MemoryMarshal.AsBytes(CollectionsMarshal.AsSpan(_gameLoops)).ToArray();
        IEnumerable<ReadOnlyMemory<byte>> columns = [loops, .. _units.Arrays.Select(array => array.Values)];
        var arrays = columns.Zip(_schema.FieldsList, (values, field) => ArrowArrayFactory.BuildArray(
            new ArrayData(field.DataType, _units.Rows, nullCount: 0, offset: 0, [ArrowBuffer.Empty, new ArrowBuffer(values)])));
        using var batch = new RecordBatch(_schema, arrays, _units.Rows);
        _writer.WriteRecordBatch(batch);
        _units.Clear();
        _gameLoops.Clear();
    }
}
