using System.Numerics;
using System.Runtime.Intrinsics;
using Abathur.Columns.Tables;

namespace Abathur.Columns.Encoding;

/// <summary>Encodes the changes of the table of units, row by row: the differences to the predictions that a decoder makes.</summary>
internal sealed class UnitTableEncoder
{
    private static readonly TableSchema Schema = ColumnsFormat.Units;
    private readonly CellRows _velocity = new((Schema.Predicted + 3) & ~3);
    private readonly ColumnValues _changes = new(Schema.Columns);
    private readonly ColumnValues _new = new(Schema.Columns);
    private readonly GrowingList<int> _freed = new();
    private readonly GrowingList<int> _taken = new();
    private readonly long[] _predicted = new long[Schema.Stride];

    /// <summary>Begins a frame.</summary>
    /// <param name="rows">Rows that the table has after it.</param>
    /// <param name="mostRows">Rows before or after it, whichever is more.</param>
    /// <param name="newUnits">Rows that may get a new unit.</param>
    public void Begin(int rows, int mostRows, int newUnits)
    {
        _velocity.Resize(mostRows);
        _changes.Begin(rows);
        _new.Begin(newUnits);
        _freed.Truncate(0);
        _taken.Truncate(0);
    }

    /// <summary>Frees a row.</summary>
    public void Free(int row)
    {
        _freed.Add(row);
        _velocity[row].Clear();
    }

    /// <summary>Adds a new unit to a row.</summary>
    public void Take(int row, ReadOnlySpan<long> cells, ref EncoderRow state)
    {
        var order = _taken.Count;
        _taken.Add(row);
        for (var column = 0; column < Schema.Columns; column++) _new.Add(column, order, cells[column]);
        _velocity[row].Clear();
        (state.Heads, state.Moves) = (true, false);
    }

    /// <summary>Encodes a unit that stays. Writes the speed to <paramref name="now"/>.</summary>
    /// <param name="row">Its row.</param>
    /// <param name="before">Its cells in the previous frame.</param>
    /// <param name="now">Its cells in this one; may be the same.</param>
    /// <param name="state">State of the row.</param>
    public void Stay(int row, ReadOnlySpan<long> before, Span<long> now, ref EncoderRow state)
    {
        var velocity = _velocity[row];
        var predicted = _predicted.AsSpan();
        before.CopyTo(predicted);
        for (var i = 0; i < velocity.Length; i += Vector256<long>.Count)
        {
            (Vector256.Create(before[i..]) + Vector256.Create<long>(velocity[i..])).CopyTo(predicted[i..]);
        }
        long dx = now[0] - before[0], dy = now[1] - before[1];
        var speed = Motion.SpeedOf(dx, dy);
        var (oldSpeed, facing, kind) = (before[ColumnsFormat.Speed], now[ColumnsFormat.Facing], FacingKind(now));
        // The speed is not a field of units: it keeps the predicted value, or gets the value that predicts the position better.
        now[ColumnsFormat.Speed] = predicted[ColumnsFormat.Speed];
        if (state.Heads) Head(before, now, facing, kind, speed, dx, dy);

        for (var i = 0; i < Schema.Columns; i += Vector256<long>.Count)
        {
            var same = Vector256.Equals(Vector256.Create<long>(now[i..]), Vector256.Create<long>(predicted[i..]));
            var differ = ~same.ExtractMostSignificantBits() & 0xF;
            for (; differ != 0; differ &= differ - 1)
            {
                var column = i + BitOperations.TrailingZeroCount(differ);
                _changes.Add(column, row, now[column] - predicted[column]);
            }
        }

        now[ColumnsFormat.Speed] = speed;
        var moves = 0L;
        for (var column = 0; column < Schema.Predicted; column++) moves |= predicted[column] = now[column] - before[column];
        moves |= predicted[ColumnsFormat.Speed] = speed - oldSpeed;
        predicted[..Schema.Predicted].CopyTo(velocity);
        state.Moves = moves != 0;
        if ((dx | dy) != 0)
        {
            state.Heads = Motion.TryStep(facing, kind, speed, out var x, out var y) && Math.Abs(x - dx) <= 1 && Math.Abs(y - dy) <= 1;
        }
    }

    /// <summary>Writes the rows that come and go; false if there are none.</summary>
    public bool TryWriteRows(int rows, PayloadWriter output)
    {
        if (_freed.Count == 0 && _taken.Count == 0) return false;
        output.WriteUInt16((ushort)rows);
        output.WriteCount(_freed.Count);
        output.WriteCount(_taken.Count);
        output.WriteGaps(_freed.Span);
        output.WriteGaps(_taken.Span);
        if (_taken.Count == 0) return true;
        _new.WriteCells(output);
        return true;
    }

    /// <summary>Writes the changes; false if there are none.</summary>
    public bool TryWriteChanges(PayloadWriter output)
    {
        if (_changes.IsEmpty) return false;
        _changes.WriteChanges(output);
        return true;
    }

    private void Head(ReadOnlySpan<long> before, Span<long> now, long facing, int kind, long speed, long dx, long dy)
    {
        var misses = 2;
        var predictedSpeed = now[ColumnsFormat.Speed];
        if (Motion.TryStep(facing, kind, predictedSpeed, out var x, out var y))
        {
            misses = Misses(x, y, dx, dy);
            (_predicted[0], _predicted[1]) = (before[0] + x, before[1] + y);
        }
        else
        {
            misses = Misses(_predicted[0] - before[0], _predicted[1] - before[1], dx, dy);
        }
        if (misses == 0 || speed == predictedSpeed) return;
        if (Motion.TryStep(facing, kind, speed, out x, out y) && 1 + Misses(x, y, dx, dy) < misses)
        {
            (_predicted[0], _predicted[1]) = (before[0] + x, before[1] + y);
            now[ColumnsFormat.Speed] = speed;
        }
    }

    private static int Misses(long x, long y, long dx, long dy) => (x == dx ? 0 : 1) + (y == dy ? 0 : 1);

    private static int FacingKind(ReadOnlySpan<long> cells) => (int)(cells[ColumnsFormat.UnitKinds] >> (2 * ColumnsFormat.Facing)) & 3;
}
