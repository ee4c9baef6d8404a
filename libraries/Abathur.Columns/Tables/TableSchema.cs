namespace Abathur.Columns.Tables;

/// <summary>The columns of one table and their protobuf fields.</summary>
internal sealed class TableSchema
{
    private readonly FieldColumn?[] _byNumber;

    /// <param name="columns">Number of columns.</param>
    /// <param name="predicted">How many of them, from the first on, are predicted.</param>
    /// <param name="has">The column with the presence bits of the fields, or -1.</param>
    /// <param name="maxRows">Maximum number of rows.</param>
    /// <param name="fields">The fields, by number.</param>
    public TableSchema(int columns, int predicted, int has, int maxRows, params FieldColumn[] fields)
    {
        Columns = columns;
        Predicted = predicted;
        Has = has;
        MaxRows = maxRows;
        Fields = [.. fields.OrderBy(field => field.Number)];
        Stride = (columns + 3) & ~3;
        _byNumber = new FieldColumn?[fields.Length == 0 ? 0 : fields.Max(field => field.Number) + 1];
        foreach (var field in fields) _byNumber[field.Number] = field;
        var floats = fields.Where(field => field.Type == CellType.Float).Select(field => field.Column);
        Floats = [.. floats.Concat(fields.SelectMany(field => field.Points ?? [])).Order()];
        Children = [.. fields.Where(field => field.Type == CellType.Rows).OrderBy(field => field.Table)];
    }

    public int Columns { get; }

    public int Predicted { get; }

    public int Has { get; }

    /// <summary>The column with the kinds of the floats.</summary>
    public int Kinds => Has + 1;

    public int MaxRows { get; }

    /// <summary>Cells per row in an array of rows: the columns, rounded up to whole vectors.</summary>
    public int Stride { get; }

    public FieldColumn[] Fields { get; }

    /// <summary>Columns with floats, ascending.</summary>
    public int[] Floats { get; }

    /// <summary>Fields whose elements are rows of another table, in the order of the tables.</summary>
    public FieldColumn[] Children { get; }

    /// <summary>The field with this number; null if it has no column.</summary>
    public FieldColumn? Field(int number) => (uint)number < (uint)_byNumber.Length ? _byNumber[number] : null;
}
