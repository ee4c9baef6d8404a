using System.Buffers;
using Abathur.Protobuf.FieldMasks;
using FsCheck;
using FsCheck.Fluent;
using Google.Protobuf;
using SC2APIProtocol;

namespace Abathur.Protobuf.Tests.FieldMasks;

public class WireProjectionTests
{
    private static readonly string[][] Masks =
    [
        ["observation"],
        ["observation.game_loop"],
        ["observation.raw_data.units.tag", "observation.raw_data.units.pos.x"],
        ["observation.raw_data.units", "observation.raw_data.units.tag"],
        ["observation.raw_data.units.orders.ability_id", "observation.player_common", "chat", "action_errors.result"],
        ["observation.raw_data.map_state.visibility.size", "player_result.player_id"],
    ];

    [Fact]
    public void Project_GeneratedMatch_KeepsWhatTheMaskNamesAndNothingElse()
    {
        foreach (var (frame, i) in CommittedRecording.Observations().Take(200).Select((frame, i) => (frame, i)))
        {
            if (i % 20 == 0) CheckAllMasks(frame);
        }
    }

    [SharedFact("observations")]
    public void Project_RealFrames_KeepsWhatTheMaskNamesAndNothingElse()
    {
        foreach (var file in Directory.EnumerateFiles(SharedData.PathTo("observations"), "observation.binpb", SearchOption.AllDirectories))
        {
            CheckAllMasks(File.ReadAllBytes(file));
        }
    }

    [Fact]
    public void Project_WholeMessageNamed_CopiesUnknownFieldsInside()
    {
        // observation (3) { unknown field 900 = 7 }, and unknown field 901 outside.
        byte[] message = [0x1a, 0x03, 0xa0, 0x38, 0x07, 0xa8, 0x38, 0x01];
        Assert.Equal([0x1a, 0x03, 0xa0, 0x38, 0x07], Project(message, "observation"));
        Assert.Equal([0x1a, 0x00], Project(message, "observation.game_loop"));
    }

    [Fact]
    public void Project_FieldSplitOverTwoOccurrences_KeepsBoth()
    {
        // observation { game_loop = 1 } twice, as protobuf allows: parsers merge them.
        var once = new ResponseObservation { Observation = new Observation { GameLoop = 1 } }.ToByteArray();
        byte[] twice = [.. once, .. once];
        Assert.Equal(twice, Project(twice, "observation.game_loop"));
    }

    [Theory]
    [InlineData("observation.nothing", "Observation has no field \"nothing\"; it has game_loop, player_common")]
    [InlineData("", "ResponseObservation has no field \"\"")]
    [InlineData("observation..raw_data", "Observation has no field \"\"")]
    [InlineData("observation.game_loop.more", "goes on after a field that is not a message")]
    [InlineData("observation.rawData", "Observation has no field \"rawData\"")]
    public void For_PathThatIsNotThere_SaysWhichAndWhatThereIs(string path, string expected)
    {
        var error = Assert.Throws<FieldMaskException>(() => WireProjection.For(ResponseObservation.Descriptor, [path]));
        Assert.Contains(expected, error.Message, StringComparison.Ordinal);
        Assert.Contains($"\"{path}\"", error.Message, StringComparison.Ordinal);
    }

    [Fact]
    public void For_TooManyPaths_IsRefused() =>
        Assert.Throws<FieldMaskException>(
            () => WireProjection.For(ResponseObservation.Descriptor, [.. Enumerable.Repeat("observation", WireProjection.MaxPaths + 1)]));

    [Fact]
    public void For_SameMaskInAnotherOrder_IsTheSameProjection() =>
        Assert.Same(
            WireProjection.For(ResponseObservation.Descriptor, ["chat", "observation"]),
            WireProjection.For(ResponseObservation.Descriptor, ["observation", "chat", "chat"]));

    [Fact]
    public void Project_ArbitraryBytes_ThrowsInvalidDataOrGivesProtobuf()
    {
        Prop.ForAll(ArbMap.Default.ArbFor<byte[]>(), bytes =>
        {
            try
            {
                Project(bytes, "observation.raw_data.units.tag", "chat");
            }
            catch (InvalidDataException)
            {
                // The documented error.
            }
        }).QuickCheckThrowOnFailure();
    }

    [Fact]
    public void Project_MutatedObservation_ThrowsInvalidDataOrGivesSomething()
    {
        var original = Sample();
        var random = new Random(5);
        for (var i = 0; i < 20_000; i++)
        {
            var mutated = original.ToArray();
            for (var edits = random.Next(1, 4); edits > 0; edits--) mutated[random.Next(mutated.Length)] = (byte)random.Next(256);
            try
            {
                Project(mutated.AsSpan(0, random.Next(mutated.Length + 1)), Masks[i % Masks.Length]);
            }
            catch (InvalidDataException)
            {
                // The documented error.
            }
        }
    }

    private static void CheckAllMasks(ReadOnlySpan<byte> observation)
    {
        foreach (var mask in Masks)
        {
            var expected = ResponseObservation.Parser.ParseFrom(observation);
            Projected.Keep(expected, mask);
            var projected = ResponseObservation.Parser.ParseFrom(Project(observation, mask));
            Assert.Equal(expected, projected);
        }
    }

    private static byte[] Sample()
    {
        var observation = new ResponseObservation
        {
            Observation = new Observation
            {
                GameLoop = 5,
                RawData = new ObservationRaw(),
                PlayerCommon = new PlayerCommon { Minerals = 50 },
            },
        };
        for (var i = 0; i < 5; i++)
            observation.Observation.RawData.Units.Add(
                new Unit { Tag = (ulong)i << 40, Pos = new Point { X = i, Y = 2 }, Orders = { new UnitOrder { AbilityId = 7 } } });
        return observation.ToByteArray();
    }

    private static byte[] Project(ReadOnlySpan<byte> message, params string[] mask)
    {
        var output = new ArrayBufferWriter<byte>();
        WireProjection.For(ResponseObservation.Descriptor, mask).Project(message, output);
        return output.WrittenSpan.ToArray();
    }
}
