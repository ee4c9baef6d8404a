using System.Globalization;
using Abathur.Sc2;

namespace Abathur.Client;

/// <summary>The names of unit types, of the tables that come with the library.</summary>
internal static class UnitTypeNames
{
    // Once for the process: the tables take a while to read.
    private static readonly Lazy<Dictionary<uint, string>> Names = new(
        () => GameDataTables.ToResponseData().Units
            .Where(type => type.Name.Length > 0)
            .ToDictionary(type => type.UnitId, type => type.Name));

    /// <summary>The name of a type; its number if it has none.</summary>
    public static string Of(uint type) =>
        Names.Value.TryGetValue(type, out var name) ? name : type.ToString(CultureInfo.InvariantCulture);
}
