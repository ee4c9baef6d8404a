using Abathur.Sc2;
using SC2APIProtocol;
using Attribute = SC2APIProtocol.Attribute;

namespace Abathur.Client;

/// <summary>Which unit types are structures.</summary>
internal sealed class StructureTypes
{
    private static readonly Lazy<StructureTypes> OfTables = new(() => new StructureTypes(GameDataTables.ToResponseData()));
    private const int MaxTypes = 65_536;
    private readonly bool[] _isStructure;

    private StructureTypes(ResponseData data)
    {
        var structures = data.Units.Where(type => type.UnitId < MaxTypes && type.Attributes.Contains(Attribute.Structure)).ToList();
        _isStructure = new bool[structures.Count == 0 ? 0 : structures.Max(type => type.UnitId) + 1];
        foreach (var type in structures) _isStructure[type.UnitId] = true;
    }

    /// <summary>Those of a match's game data; without one, those of the tables that come with the library.</summary>
    public static StructureTypes Of(ResponseData? data) => data is { Units.Count: > 0 } ? new StructureTypes(data) : OfTables.Value;

    public bool Contains(uint type) => type < _isStructure.Length && _isStructure[type];
}
