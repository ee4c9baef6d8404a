namespace Abathur.Sync.Encodings.Columns;

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
    private byte[] _allowed = [];

    public ColumnsTable Table { get; } = new(ColumnsFormat.Units);

    public ReadOnlySpan<bool> IsUsed => _isUsed.AsSpan(0, Table.Rows);

    /// <summary>Rows before the frame.</summary>
    public int OldRows { get; private set; }

    /// <summary>Number of rows that the row's unit had in another table before the frame; 0 for one that was free.</summary>
    public int OldCount(int child, int row) => (int)_oldCounts[child][row];

    /// <summary>Whether the row's unit was there before the frame and is the same after it.</summary>
    public bool Stays(int row) => row < Table.Rows && _stays[row];

    public void Reset()
    {
        Table.Resize(0);
        _isUsed.AsSpan().Clear();
        _heads.AsSpan().Clear();
    }

    /// <summary>Applies a frame without a section: units move on.</summary>
    public void Apply()
    {
        Begin();
        Table.Predict();
        Finish();
    }

    /// <summary>Applies the section of a frame.</summary>
    public void Apply(ref PayloadReader reader)
    {
        Begin();
        var rows = reader.ReadUInt32(ColumnsFormat.MaxUnits, "rows of units");
        var free = reader.ReadUInt32(OldRows, "rows that become free");
        var take = reader.ReadUInt32(rows, "rows that get a new unit");
        Free(ref reader, free);
        Resize(ref reader, rows);
        Take(ref reader, take);
        Table.Predict();
        Allow();
        _changes.Apply(ref reader, Table, _allowed.AsSpan(0, (rows + 7) / 8));
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
            if (!_isUsed[row]) reader.Throw($"row {row} becomes free, which it was");
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
        _allowed = new byte[(capacity + 7) / 8];
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
        var values = _changes.Room(count);
        var planes = _changes.ReadCells(ref reader, Table.Columns, count);
        for (var column = 0; column < Table.Columns; column++)
        {
            planes.Read(column, values);
            var cells = Table.Cells(column);
            for (var i = 0; i < count; i++) cells[rows[i]] = values[i];
        }
    }

    private ReadOnlySpan<int> ReadRows(ref PayloadReader reader, int count, int limit, string what)
    {
        // A row takes a byte at least, so that a count cannot ask for more memory than the payload has.
        if (_rows.Length < count) _rows = new int[Math.Max(count, 2 * _rows.Length)];
        var rows = _rows.AsSpan(0, count);
        reader.ReadGaps(rows, limit, what);
        return rows;
    }

    private void Allow()
    {
        _allowed.AsSpan().Clear();
        for (var row = 0; row < Table.Rows; row++)
        {
            if (_stays[row]) _allowed[row >> 3] |= (byte)(1 << (row & 7));
        }
    }

    /// <summary>What follows from the changes: places, velocities, speeds, who heads.</summary>
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
            if (!_stays[row] || !_heads[row] || !Motion.TryStep(facing[row], FacingKind(row), speed[row], out var stepX, out var stepY)) continue;
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
