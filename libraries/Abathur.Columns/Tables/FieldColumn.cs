namespace Abathur.Columns.Tables;

/// <summary>Where a field of a message goes.</summary>
/// <param name="Number">Its number in protobuf.</param>
/// <param name="Type">How it is written there and here.</param>
/// <param name="Column">
/// Its column, which is also its bit in <c>has</c>; for a point the bit that says that there is one, for rows the column of their number.
/// </param>
/// <param name="Table">For rows the table that they go to.</param>
/// <param name="Points">For a point the columns of x, y, z.</param>
internal sealed record FieldColumn(int Number, CellType Type, int Column, TableId Table = TableId.Units, int[]? Points = null);
