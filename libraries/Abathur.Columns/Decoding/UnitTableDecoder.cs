using Abathur.Columns.Tables;

namespace Abathur.Columns.Decoding;

/// <summary>The table of units: applies the section of a frame, or none.</summary>
internal sealed class UnitTableDecoder
{
    private static readonly int Children = ColumnsFormat.Units.Children.Length;
    private readonly ChangesReader _changes = new();
    private readonly long[][] _oldCounts = [.. Enumerable.Range(0, Children).Select(_ => Array.Empty<long>())];
    private int[] _rows = [];
    private bool[] _isUsed = [];
    private bool[] _stays = [];
    private bool[] _heads = [];

    public ColumnsTable Table { get; } = new(ColumnsFormat.Units);

    public ReadOnlySpan<bool> IsUsed => _isUsed.AsSpan(0, Table.Rows);

    /// <summary>Rows before the frame.</summary>
    public int OldRows { get; private set; }

    /// <summary>Number of rows that the row's unit had in another table before the frame; 0 for one that was free.</summary>
    public int OldCount(int child, int row) => (int)_oldCounts[child][row];

    /// <summary>Whether the row had a unit before the frame and has the same one after it.</summary>
    public bool Stays(int row) => row < Table.Rows && _stays[row];

    public void Reset()
    {
        Table.Resize(0);
        _isUsed.AsSpan().Clear();
        _heads.AsSpan().Clear();
    }

    /// <summary>Applies a frame.</summary>
    /// <param name="reader">Where its sections begin.</param>
    /// <param name="hasRows">Whether rows come and go.</param>
    /// <param name="hasChanges">Whether cells change differently from the prediction.</param>
    public void Apply(ref PayloadReader reader, bool hasRows, bool hasChanges)
    {
        Begin();
        if (hasRows)
        {
            var rows = reader.ReadUInt16();
            var free = reader.ReadCount(OldRows, "rows that become free");
            var take = reader.ReadCount(rows, "rows that get a new unit");
            Free(ref reader, free);
            Resize(ref reader, rows);
            Take(ref reader, take);
        }
        Table.Predict();
        if (hasChanges) _changes.Apply(ref reader, Table, _stays.AsSpan(0, Table.Rows));
        Finish();
    }

    private void Begin()
    {
        OldRows = Table.Rows;
        for (var c = 0; c < Children; c++)
        {
            if (_oldCounts[c].Length < OldRows) _oldCounts[c] = new long[_isUsed.Length];
            Table.Column(ColumnsFormat.FirstCount + c).CopyTo(_oldCounts[c]);
        }
        _stays.AsSpan().Clear();
        _isUsed.AsSpan(0, OldRows).CopyTo(_stays);
    }

    private void Free(ref PayloadReader reader, int count)
    {
        foreach (var row in ReadRows(ref reader, count, OldRows, "rows that become free"))
        {
            if (!_isUsed[row]) reader.Throw($"row {row} becomes free, but was already free");
            Table.ClearRow(row);
            _isUsed[row] = _stays[row] = _heads[row] = false;
        }
    }

    private void Resize(ref PayloadReader reader, int rows)
    {
        if (_isUsed.AsSpan(0, OldRows)[Math.Min(rows, OldRows)..].Contains(true)) reader.Throw("a row that is in use would be dropped");
        Table.Resize(rows);
        if (_isUsed.Length >= rows) return;
        var capacity = Math.Max(rows, 2 * _isUsed.Length);
        Array.Resize(ref _isUsed, capacity);
        Array.Resize(ref _stays, capacity);
        Array.Resize(ref _heads, capacity);
    }

    private void Take(ref PayloadReader reader, int count)
    {
        var rows = ReadRows(ref reader, count, Table.Rows, "rows that get a new unit");
        foreach (var row in rows)
        {
            if (_isUsed[row]) reader.Throw($"row {row} gets a new unit, but has one");
            (_isUsed[row], _stays[row], _heads[row]) = (true, false, true);
        }
        if (count == 0) return;
        _changes.ReadCells(ref reader, Table, rows);
    }

    private ReadOnlySpan<int> ReadRows(ref PayloadReader reader, int count, int limit, string what)
    {
        // A row takes at least one byte, so a count cannot require more memory than the payload has.
        if (_rows.Length < count) _rows = new int[Math.Max(count, 2 * _rows.Length)];
        var rows = _rows.AsSpan(0, count);
        reader.ReadGaps(rows, limit, what);
        return rows;
    }

    /// <summary>Updates what depends on the changes: positions, velocities, speeds and headings.</summary>
    private void Finish()
    {
        var x = Table.Cells(ColumnsFormat.X);
        var y = Table.Cells(ColumnsFormat.Y);
        var speed = Table.Cells(ColumnsFormat.Speed);
        var vx = Table.Velocity(ColumnsFormat.X);
        var vy = Table.Velocity(ColumnsFormat.Y);
        var vSpeed = Table.Velocity(ColumnsFormat.Speed);
        var facing = Table.Cells(ColumnsFormat.Facing);
        for (var row = 0; row < facing.Length; row++)
        {
            if (!_stays[row] || !_heads[row]) continue;
            if (!Motion.TryStep(facing[row], FacingKind(row), speed[row], out var stepX, out var stepY)) continue;
            x[row] += stepX - vx[row];
            y[row] += stepY - vy[row];
        }
        Table.UpdateVelocity();
        var oldSpeed = Table.Before(ColumnsFormat.Speed);
        for (var row = 0; row < facing.Length; row++)
        {
            if (!_stays[row]) continue;
            speed[row] = Motion.SpeedOf(vx[row], vy[row]);
            vSpeed[row] = speed[row] - oldSpeed[row];
            if ((vx[row] | vy[row]) == 0) continue;
            _heads[row] = Motion.TryStep(facing[row], FacingKind(row), speed[row], out var stepX, out var stepY)
                && Math.Abs(stepX - vx[row]) <= 1 && Math.Abs(stepY - vy[row]) <= 1;
        }
    }

    private int FacingKind(int row) => Table.Kind(ColumnsFormat.Facing, row);
}
