using Abathur.Columns.Tables;

namespace Abathur.Columns.Encoding;

/// <summary>A table below units as the decoder has it, and its changes. Processed together with the rows of units, unit by unit.</summary>
internal sealed class ChildTableEncoder
{
    private readonly TableSchema _schema;
    private readonly ColumnValues _changes;
    private CellRows _before, _now;
    private CellRows _velocityBefore, _velocity;
    private bool _isKeyframe;
    private int _next;

    public ChildTableEncoder(TableId table)
    {
        Table = table;
        _schema = ColumnsFormat.Tables[(int)table];
        _changes = new ColumnValues(_schema.Columns);
        (_before, _now) = (new CellRows(_schema.Stride), new CellRows(_schema.Stride));
        (_velocityBefore, _velocity) = (new CellRows(_schema.Predicted), new CellRows(_schema.Predicted));
    }

    public TableId Table { get; }

    /// <summary>Rows of this frame that have been taken so far.</summary>
    public int Rows => _now.Count;

    /// <summary>Forgets all rows.</summary>
    public void Reset()
    {
        _now.Resize(0);
        _velocity.Resize(0);
    }

    /// <summary>Begins a frame after which the table has this number of rows. At a keyframe the decoder has no rows before it.</summary>
    public void Begin(int rows, bool keyframe)
    {
        _isKeyframe = keyframe;
        (_before, _now) = (_now, _before);
        (_velocityBefore, _velocity) = (_velocity, _velocityBefore);
        _now.Resize(0);
        _velocity.Resize(0);
        _changes.Begin(rows);
        _next = 0;
    }

    /// <summary>Skips rows of the previous frame that do not belong to a unit any more.</summary>
    public void Drop(int count) => _next += count;

    /// <summary>Copies the rows of an unchanged unit.</summary>
    public void Keep(int count)
    {
        var (first, from) = (_now.Count, _next);
        _next += count;
        _now.Resize(first + count);
        _before.Slice(from, count).CopyTo(_now.Slice(first, count));
        _velocity.Resize(first + count);
        if (_isKeyframe)
        {
            for (var i = first; i < first + count; i++) AddCells(i);
            return;
        }
        for (var column = 0; column < _schema.Predicted; column++)
        {
            for (var i = 0; i < count; i++)
            {
                var velocity = _velocityBefore[from + i][column];
                if (velocity != 0) _changes.Add(column, first + i, -velocity);
            }
        }
    }

    /// <summary>Adds the rows of a parsed unit.</summary>
    /// <param name="rows">All parsed rows.</param>
    /// <param name="start">The first of the unit.</param>
    /// <param name="count">How many it has.</param>
    /// <param name="before">How many it had; 0 for a new unit.</param>
    public void Change(CellRows rows, int start, int count, int before)
    {
        for (var i = 0; i < count; i++)
        {
            var row = _now.Add();
            var velocity = _velocity[_velocity.Add()];
            var cells = rows[start + i];
            cells.CopyTo(_now[row]);
            if (_isKeyframe || i >= before)
            {
                AddCells(row);
                continue;
            }
            var old = _before[_next + i];
            for (var column = 0; column < _schema.Columns; column++)
            {
                var change = cells[column] - old[column];
                if (column < velocity.Length)
                {
                    velocity[column] = change;
                    change -= _velocityBefore[_next + i][column];
                }
                if (change != 0) _changes.Add(column, row, change);
            }
        }
        _next += before;
    }

    private void AddCells(int row)
    {
        var cells = _now[row];
        for (var column = 0; column < _schema.Columns; column++)
        {
            if (cells[column] != 0) _changes.Add(column, row, cells[column]);
        }
    }

    /// <summary>Writes the table's section; false if nothing has changed.</summary>
    public bool TryWrite(PayloadWriter output)
    {
        if (_changes.IsEmpty) return false;
        _changes.WriteChanges(output);
        return true;
    }
}
