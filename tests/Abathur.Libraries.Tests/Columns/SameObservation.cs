using global::Google.Protobuf;
using SC2APIProtocol;

namespace Abathur.Columns.Tests;

/// <summary>Observations that are equal but for the order of their units, which columns do not keep.</summary>
internal static class SameObservation
{
    /// <summary>Fails where two observations differ. Their units are sorted.</summary>
    public static void Assert(ResponseObservation expected, ResponseObservation actual)
    {
        Sort(expected);
        Sort(actual);
        if (expected.Equals(actual)) return;
        var (units, found) = (expected.Observation?.RawData?.Units ?? [], actual.Observation?.RawData?.Units ?? []);
        Xunit.Assert.Equal(units.Count, found.Count);
        for (var i = 0; i < units.Count; i++) Xunit.Assert.Equal(units[i].ToByteString().ToBase64(), found[i].ToByteString().ToBase64());
        Xunit.Assert.Equal(expected.ToString(), actual.ToString());
        Xunit.Assert.Fail("the observations differ in unknown fields");
    }

    /// <summary>Puts the units in the order of their tags; those with the same tag in that of their bytes.</summary>
    private static void Sort(ResponseObservation observation)
    {
        if (observation.Observation?.RawData?.Units is not { Count: > 1 } units) return;
        var isUnique = units.Select(unit => unit.Tag).Distinct().Count() == units.Count;
        var byTag = units.OrderBy(unit => unit.Tag);
        var sorted = (isUnique ? byTag : byTag.ThenBy(unit => Convert.ToHexString(unit.ToByteArray()), StringComparer.Ordinal)).ToList();
        units.Clear();
        units.AddRange(sorted);
    }
}
