using Abathur.Columns.Tables;

namespace Abathur.Columns.Encoding;

/// <summary>A unit that was parsed: where it is in the observation, and where its elements are among the parsed rows of other
/// tables.</summary>
internal record struct ParsedUnit(
    int Start, int Length, int Orders, int Buffs, int Passengers, int RallyTargets, int FirstExtra, int Extras)
{
    /// <summary>Whether it has fields without a column.</summary>
    public readonly bool HasExtras => Extras > 0;

    /// <summary>Where its elements in a table begin.</summary>
    public readonly int First(TableId table) => table switch
    {
        TableId.Orders => Orders,
        TableId.Buffs => Buffs,
        TableId.Passengers => Passengers,
        _ => RallyTargets,
    };
}
