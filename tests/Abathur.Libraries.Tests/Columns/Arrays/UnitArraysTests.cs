using System.Buffers.Binary;
using Abathur.Columns.Arrays;
using global::Google.Protobuf;
using SC2APIProtocol;

namespace Abathur.Columns.Tests.Arrays;

public class UnitArraysTests
{
    private static readonly Dictionary<string, Func<Unit, float>> Position = new()
    {
        ["x"] = unit => unit.Pos?.X ?? 0,
        ["y"] = unit => unit.Pos?.Y ?? 0,
        ["z"] = unit => unit.Pos?.Z ?? 0,
    };

    [Fact]
    public void Observations_OfAnyContent_HaveTheValuesOfProtobuf()
    {
        for (var seed = 0; seed < 30; seed++)
        {
            var fuzz = new ObservationFuzz(seed);
            var arrays = new UnitArrays();
            List<Unit> expected = [];
            for (var i = 0; i < 60; i++)
            {
                var observation = fuzz.Next();
                var units = Units(observation);
                Assert.Equal(units.Count, arrays.Add(observation));
                expected.AddRange(units);
                if (i % 20 < 19) continue;
                AssertAre(expected, arrays);
                arrays.Clear();
                expected.Clear();
            }
        }
    }

    [SharedFact("observations")]
    public void RealObservations_HaveTheValuesOfProtobuf()
    {
        foreach (var file in Directory.GetFiles(SharedData.PathTo("observations"), "observation*.binpb", SearchOption.AllDirectories))
        {
            var (observation, arrays) = (File.ReadAllBytes(file), new UnitArrays());
            arrays.Add(observation);
            AssertAre(Units(observation), arrays);
        }
    }

    [Fact]
    public void DamagedObservation_AddsNoUnit()
    {
        var unit = new Unit { Tag = 7, IsActive = true, Health = 3, Alliance = Alliance.Enemy, IsFlying = true };
        var observation = Message(unit, unit, unit).ToByteArray();
        var arrays = new UnitArrays();
        arrays.Add(observation);
        Assert.Throws<InvalidDataException>(() => { arrays.Add(observation.AsSpan(..^1)); });
        AssertAre(Units(observation), arrays);
        var other = Message(new Unit { Tag = 8 }).ToByteArray();
        arrays.Add(other);
        AssertAre([.. Units(observation), .. Units(other)], arrays);
    }

    private static ResponseObservation Message(params Unit[] units) =>
        new() { Observation = new Observation { RawData = new ObservationRaw { Units = { units } } } };

    private static List<Unit> Units(byte[] observation) =>
        [.. ResponseObservation.Parser.ParseFrom(observation).Observation?.RawData?.Units ?? []];

    private static void AssertAre(List<Unit> expected, UnitArrays arrays)
    {
        Assert.Equal(expected.Count, arrays.Rows);
        foreach (var array in arrays.Arrays)
        {
            var field = Unit.Descriptor.FindFieldByName(array.Name);
            for (var row = 0; row < expected.Count; row++)
            {
                var value = Position.TryGetValue(array.Name, out var get) ? get(expected[row]) : field.Accessor.GetValue(expected[row]);
                Assert.True(Bits(value, array.Type) == Bits(array, row), $"{array.Name} of unit {row}: {value}");
            }
        }
    }

    private static ulong Bits(object value, UnitArrayType type) => type switch
    {
        UnitArrayType.Flag => (bool)value ? 1UL : 0,
        UnitArrayType.Signed8 => (byte)(int)value,
        UnitArrayType.Signed32 => (uint)(int)value,
        UnitArrayType.Unsigned32 => (uint)value,
        UnitArrayType.Unsigned64 => (ulong)value,
        _ => BitConverter.SingleToUInt32Bits((float)value),
    };

    private static ulong Bits(UnitArray array, int row)
    {
        var values = array.Values.Span;
        return array.Type switch
        {
            UnitArrayType.Flag => (ulong)(values[row / 8] >> (row % 8) & 1),
            UnitArrayType.Signed8 => values[row],
            UnitArrayType.Unsigned64 => BinaryPrimitives.ReadUInt64LittleEndian(values[(8 * row)..]),
            _ => BinaryPrimitives.ReadUInt32LittleEndian(values[(4 * row)..]),
        };
    }
}
