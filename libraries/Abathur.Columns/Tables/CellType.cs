namespace Abathur.Columns.Tables;

/// <summary>How a table represents a protobuf field.</summary>
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

    /// <summary>A <c>Point</c>, whose floats are columns of this table.</summary>
    Point,

    /// <summary>A repeated field: each element is a row of another table.</summary>
    Rows,
}
