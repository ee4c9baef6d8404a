namespace Abathur.Columns.Tables;

/// <summary>How a protobuf field goes into a table.</summary>
internal enum CellType : byte
{
    /// <summary>The field has no column.</summary>
    None,
    Float,
    Bool,

    /// <summary><c>int32</c> and enums.</summary>
    Int32,
    UInt32,
    UInt64,

    /// <summary>A <c>Point</c>, whose floats have columns of this table.</summary>
    Point,

    /// <summary>A repeated field, a row each in another table.</summary>
    Rows,
}
