using Abathur.Columns.Tables;

namespace Abathur.Columns.Encoding;

/// <summary>A field without a column, found in a unit or in one of its submessages.</summary>
/// <param name="Slot">The unit, by its place among the parsed ones.</param>
/// <param name="Table">The message that it is in.</param>
/// <param name="Index">Which of the unit's orders, passengers or rally targets; 0 for the unit.</param>
/// <param name="PointField">Number of the point in that message that it is in; 0 if it is in the message itself.</param>
/// <param name="Start">Where it begins in the observation.</param>
/// <param name="Length">Its bytes, tag included.</param>
internal readonly record struct ExtraFragment(int Slot, TableId Table, int Index, int PointField, int Start, int Length);
