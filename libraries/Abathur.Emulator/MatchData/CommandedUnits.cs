using Abathur.Protobuf.Wire;
using SC2APIProtocol;
using static Google.Protobuf.WireFormat;

namespace Abathur.Emulator.MatchData;

/// <summary>The types of the units in raw actions, which have tags only.</summary>
internal static class CommandedUnits
{
    private static readonly Dictionary<ulong, uint> None = [];

    /// <summary>The tags of units and targets in an action.</summary>
    public static IEnumerable<ulong> TagsOf(SC2APIProtocol.Action action)
    {
        if (action.ActionRaw?.UnitCommand is { } command)
            return command.HasTargetUnitTag ? command.UnitTags.Append(command.TargetUnitTag) : command.UnitTags;
        return action.ActionRaw?.ToggleAutocast?.UnitTags ?? Enumerable.Empty<ulong>();
    }

    /// <summary>The unit types by tag, of the tags that the observation has.</summary>
    /// <param name="request">The actions.</param>
    /// <param name="observation">Serialized <c>ResponseObservation</c>. Only tags and types are read.</param>
    public static IReadOnlyDictionary<ulong, uint> TypesOf(RequestAction request, ReadOnlySpan<byte> observation)
    {
        var wanted = request.Actions.SelectMany(TagsOf).ToHashSet();
        if (wanted.Count == 0) return None;
        var types = new Dictionary<ulong, uint>();
        var response = new WireReader(observation);
        while (MovesTo(ref response, ResponseObservation.ObservationFieldNumber))
        {
            var inner = new WireReader(response.ReadBytes());
            while (MovesTo(ref inner, Observation.RawDataFieldNumber))
            {
                var raw = new WireReader(inner.ReadBytes());
                while (MovesTo(ref raw, ObservationRaw.UnitsFieldNumber))
                {
                    var (tag, type) = Identify(raw.ReadBytes());
                    if (wanted.Contains(tag)) types[tag] = type;
                }
            }
        }
        return types;
    }

    private static bool MovesTo(ref WireReader reader, int field)
    {
        while (reader.ReadTag())
        {
            if (reader.FieldNumber == field && reader.WireType == WireType.LengthDelimited) return true;
            reader.SkipValue();
        }
        return false;
    }

    private static (ulong Tag, uint Type) Identify(ReadOnlySpan<byte> unit)
    {
        var (tag, type) = (0ul, 0u);
        var reader = new WireReader(unit);
        while (reader.ReadTag())
        {
            if (reader is { FieldNumber: Unit.TagFieldNumber, WireType: WireType.Varint }) tag = reader.ReadVarint();
            else if (reader is { FieldNumber: Unit.UnitTypeFieldNumber, WireType: WireType.Varint }) type = (uint)reader.ReadVarint();
            else reader.SkipValue();
        }
        return (tag, type);
    }
}
