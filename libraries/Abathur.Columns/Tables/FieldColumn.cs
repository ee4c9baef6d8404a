namespace Abathur.Columns.Tables;

/// <summary>The column of a message field.</summary>
/// <param name="Number">Its number in protobuf.</param>
/// <param name="Type">Its type in protobuf and in the table.</param>
/// <param name="Column">
/// Its column, which is also its bit in <c>has</c>; for a point the bit that says whether it is set, for rows the column with their number.
/// </param>
/// <param name="Table">For rows their table.</param>
/// <param name="Points">For a point the columns of x, y, z.</param>
internal sealed record FieldColumn(int Number, CellType Type, int Column, TableId Table = TableId.Units, int[]? Points = null);
