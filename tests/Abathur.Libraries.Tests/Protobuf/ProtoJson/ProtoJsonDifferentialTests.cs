using Abathur.Protobuf.FieldMasks;
using Abathur.Protobuf.Tests.Protos;
using Abathur.Sync.V1;
using FsCheck;
using FsCheck.Fluent;
using global::Google.Protobuf;
using global::Google.Protobuf.Reflection;
using global::Google.Protobuf.WellKnownTypes;
using SC2APIProtocol;
using Encoding = System.Text.Encoding;

namespace Abathur.Protobuf.Tests.ProtoJson;

/// <summary>Everything the transcoder writes, and everything it refuses, against Google.Protobuf.</summary>
public class ProtoJsonDifferentialTests
{
    private static readonly Config Thorough = Config.QuickThrowOnFailure.WithMaxTest(Runs.Of(400));

    private static readonly FileDescriptor[] Files =
    [
        CommonReflection.Descriptor, DataReflection.Descriptor, DebugReflection.Descriptor, ErrorReflection.Descriptor,
        QueryReflection.Descriptor,
        RawReflection.Descriptor, Sc2ApiReflection.Descriptor, ScoreReflection.Descriptor, SpatialReflection.Descriptor,
        UiReflection.Descriptor,
        SyncReflection.Descriptor, EverythingReflection.Descriptor, Everything2Reflection.Descriptor, Everything2023Reflection.Descriptor,
    ];

    private static readonly MessageDescriptor[] Roots =
        [Everything.Descriptor, Everything2.Descriptor, Everything2023.Descriptor, ResponseObservation.Descriptor];

    [Fact]
    public void BothWays_EveryMessageTypeWithGeneratedValues_LikeGoogle()
    {
        foreach (var type in Files.SelectMany(file => file.MessageTypes).SelectMany(WithNested))
        {
            var transcoder = Google.TranscoderOf(type);
            Check(Config.QuickThrowOnFailure.WithMaxTest(Runs.Of(type.File.Package == "abathur.tests" ? 400 : 25)), random =>
                Transcoded.AssertLikeGoogle(
                    transcoder, type, new MessageGenerator(random, Everything.Descriptor).Make(type).ToByteArray()));
        }
    }

    [Fact]
    public void BothWays_TypeThatCannotHoldAnAny_LikeGoogle()
    {
        // An Any in the schema keeps the transcoder from the fast way for small messages. This is the same schema without it.
        var transcoder = Google.TranscoderOf(EverythingButAny());
        Check(Thorough, random =>
        {
            var wire = new MessageGenerator(random, Everything.Descriptor, withAny: false).Make(Everything.Descriptor).ToByteArray();
            if (random.Next(2) == 0) wire = new WireShuffle(random).Apply(Everything.Descriptor, wire);
            var expected = Google.ToJson(Everything.Descriptor, wire);
            AssertJson(expected, Transcoded.JsonOrNull(transcoder, wire));
            if (expected is not null)
                Transcoded.AssertSameBytes(
                    Everything.Descriptor, Google.ToProto(Everything.Descriptor, expected), Transcoded.Proto(transcoder, expected));
        });
    }

    [Fact]
    public void ToJson_FieldsShuffledSplitAndRepeated_LikeGoogle()
    {
        foreach (var type in Roots)
        {
            var transcoder = Google.TranscoderOf(type);
            Check(Thorough, random =>
            {
                var wire = new WireShuffle(random).Apply(
                    type, new MessageGenerator(random, Everything.Descriptor).Make(type).ToByteArray());
                var expected = Google.ToJson(type, wire);
                AssertJson(expected, Transcoded.JsonOrNull(transcoder, wire));
            });
        }
    }

    [Fact]
    public void ToProto_MembersShuffled_LikeGoogle()
    {
        foreach (var type in Roots)
        {
            var transcoder = Google.TranscoderOf(type);
            Check(Thorough, random =>
            {
                var json = JsonShuffle.Apply(random, Google.Format(new MessageGenerator(random, Everything.Descriptor).Make(type)));
                Transcoded.AssertSameBytes(type, Google.ToProto(type, json), Transcoded.ProtoOrNull(transcoder, json));
            });
        }
    }

    [Fact]
    public void ToJson_DamagedBytes_LikeGoogleOrRefused()
    {
        foreach (var type in Roots)
        {
            var transcoder = Google.TranscoderOf(type);
            Check(Thorough.WithMaxTest(Runs.Of(1500)), random =>
            {
                var wire = new MessageGenerator(random, Everything.Descriptor).Make(type).ToByteArray();
                Damage(random, ref wire);
                var json = Transcoded.JsonOrNull(transcoder, wire);
                var expected = Google.ToJson(type, wire);
                // Google reads a varint beyond the end of the message that holds it, and does not see what follows a stray end of a group.
                // Here something else may be found wrong first then. That it has read something else than the bytes say shows in its own
                // bytes.
                if (expected is not null && json is null && !Google.ReadsAllOf(type.Parser.ParseFrom(wire), wire)) return;
                // Google takes -0 in a second wrapper for the default, and keeps the value of the first.
                if (json?.Contains("Wrapper\":-0", StringComparison.Ordinal) == true) return;
                AssertJson(expected, json);
            });
        }
    }

    [Fact]
    public void ToJson_OneofMemberThatIsOverwritten_MustBeReadableAllTheSame()
    {
        // choice_message with the end of a group in it, and then choice_int32.
        byte[] broken = [0xAA, 0x03, 0x01, 0x5C, 0x98, 0x03, 0x05];
        Assert.Null(Google.ToJson(Everything.Descriptor, broken));
        Assert.Null(Transcoded.JsonOrNull(Google.TranscoderOf(Everything.Descriptor), broken));
    }

    [Theory]
    // In one entry of values_by_string: a google.protobuf.Value whose struct ends beyond it, and then another Value.
    [InlineData("FA020812022A4E12020800")]
    // The same in two entries with one key.
    [InlineData("FA020412022A4EFA020412020800")]
    // choice_message with such a map in it, and then choice_int32.
    [InlineData("AA0307FA020412022A4E980305")]
    public void ToJson_MapValueThatIsOverwritten_MustBeReadableAllTheSame(string wire)
    {
        var broken = Convert.FromHexString(wire);
        Assert.Null(Google.ToJson(Everything.Descriptor, broken));
        Assert.Null(Transcoded.JsonOrNull(Google.TranscoderOf(Everything.Descriptor), broken));
    }

    [Fact]
    public void ToJson_AnyWithAWrapperThatIsCutOff_IsRefused()
    {
        // In an Any an Everything with a double_wrapper of five bytes, which are the tag of a 32-bit value that does not follow. Google
        // reads it behind the wrapper's end.
        byte[] wrapper = [0xDA, 0x05, 0x05, 0xE5, 0xBF, 0x86, 0x88, 0x01, 0x08, 0x01, 0x10, 0x01];
        var broken = new Everything
        {
            Any = new Any { TypeUrl = "type.googleapis.com/" + Everything.Descriptor.FullName, Value = ByteString.CopyFrom(wrapper) },
        };
        Assert.False(Google.ReadsAllOf(broken, broken.ToByteArray()));
        Assert.Null(Transcoded.JsonOrNull(Google.TranscoderOf(Everything.Descriptor), broken.ToByteArray()));
        Assert.Contains("a fixed value is cut off", Transcoded.Refusal, StringComparison.Ordinal);
    }

    [Fact]
    public void ToJson_PiecesOfAMessageThatAreWholeOnlyTogether_AreRefused()
    {
        // observation in two pieces: a 64-bit value of an unknown field begins in the first and would end in the second.
        var broken = Convert.FromHexString("1A1E08FFFFFFFF0F109EA6C2A90738A5AAE7E90D40870299CC0C48AAD7AAF20B1A040801100A5000");
        Assert.Null(Google.ToJson(ResponseObservation.Descriptor, broken));
        Assert.Null(Transcoded.JsonOrNull(Google.TranscoderOf(ResponseObservation.Descriptor), broken));
    }

    [Fact]
    public void ToProto_DamagedText_WhatGoogleTakesGivesTheSameBytes()
    {
        foreach (var type in Roots)
        {
            var transcoder = Google.TranscoderOf(type);
            Check(Thorough.WithMaxTest(Runs.Of(1500)), random =>
            {
                var text = Encoding.UTF8.GetBytes(Google.Format(new MessageGenerator(random, Everything.Descriptor).Make(type)));
                Damage(random, ref text);
                var json = Encoding.UTF8.GetString(text);
                var expected = Google.ToProto(type, json);
                var actual = Transcoded.ProtoOrNull(transcoder, json);
                if (expected is null) return;
                if (actual is null) Assert.True(Google.Drops(Transcoded.Refusal), $"{Transcoded.Refusal}\n{json}");
                else Transcoded.AssertSameBytes(type, expected, actual);
            });
        }
    }

    [Fact]
    public void BothWays_GeneratedMatch_LikeGoogle()
    {
        var transcoder = ProtoJsonTranscoder.For(ResponseObservation.Descriptor);
        foreach (var (frame, i) in CommittedRecording.Observations().Select((frame, i) => (frame, i)))
        {
            if (i % 40 is 0 or 1) Transcoded.AssertLikeGoogle(transcoder, ResponseObservation.Descriptor, frame);
        }
    }

    [SharedFact("observations")]
    public void BothWays_RealFrames_LikeGoogle()
    {
        var transcoder = ProtoJsonTranscoder.For(ResponseObservation.Descriptor);
        foreach (var file in Directory.EnumerateFiles(SharedData.PathTo("observations"), "observation.binpb", SearchOption.AllDirectories))
        {
            Transcoded.AssertLikeGoogle(transcoder, ResponseObservation.Descriptor, File.ReadAllBytes(file));
        }
    }

    [Theory]
    [InlineData("observation.raw_data.units.pos")]
    [InlineData("observation.raw_data.units.tag", "observation.raw_data.units.orders.target_unit_tag", "observation.game_loop")]
    [InlineData("observation.player_common", "chat", "observation.raw_data.map_state.visibility.size")]
    public void ToJson_FieldMask_LikeTheProjectionFormattedByGoogle(params string[] paths)
    {
        var frame = CommittedRecording.Observations().Last();
        var projected = new System.Buffers.ArrayBufferWriter<byte>();
        WireProjection.For(ResponseObservation.Descriptor, paths).Project(frame, projected);
        var transcoder = ProtoJsonTranscoder.Create(ResponseObservation.Descriptor, paths);
        Assert.Equal(Google.ToJson(ResponseObservation.Descriptor, projected.WrittenSpan), Transcoded.Json(transcoder, frame));
    }

    // Google has no JSON for an empty key in a Struct; here it is "". It refuses strings that are not UTF-8; here they are shown with
    // U+FFFD.
    private static void AssertJson(string? expected, string? actual)
    {
        // Google cuts tags and lengths of more than 32 bits short, and takes the end of a group for the end of the message; all of that is
        // refused here.
        if (expected is not null && actual is null)
            Assert.Matches("number is out of range|invalid wire type|longer than its message", Transcoded.Refusal);
        else if (expected is not null || actual is null) Assert.Equal(expected, actual);
        else Assert.True(actual.Contains("{\"\":", StringComparison.Ordinal)
            || actual.Contains(",\"\":", StringComparison.Ordinal)
            || Google.Refusal.Contains("invalid UTF-8", StringComparison.Ordinal), Google.Refusal + actual);
    }

    private static MessageDescriptor EverythingButAny()
    {
        var proto = Everything.Descriptor.File.ToProto();
        var type = proto.MessageType.Single(each => each.Name == "Everything");
        type.Field.Remove(type.Field.Single(each => each.Name == "any"));
        var imports = Everything.Descriptor.File.Dependencies.Select(each => each.SerializedData);
        return FileDescriptor.BuildFromByteStrings([.. imports, proto.ToByteString()])[^1].FindTypeByName<MessageDescriptor>("Everything");
    }

    private static IEnumerable<MessageDescriptor> WithNested(MessageDescriptor type) =>
        type.NestedTypes.Where(nested => nested.ClrType is not null).SelectMany(WithNested).Prepend(type);

    private static void Check(Config config, Action<Random> property) =>
        FsCheck.Fluent.Prop.ForAll(Gen.Choose(0, int.MaxValue).ToArbitrary(), seed => property(new Random(seed))).Check(config);

    private static void Damage(Random random, ref byte[] bytes)
    {
        if (bytes.Length == 0) return;
        for (var i = random.Next(1, 4); i > 0; i--)
        {
            switch (random.Next(4))
            {
                case 0: bytes[random.Next(bytes.Length)] ^= (byte)(1 << random.Next(8)); break;
                case 1: bytes[random.Next(bytes.Length)] = (byte)random.Next(256); break;
                case 2 when bytes.Length > 1: bytes = bytes[..random.Next(1, bytes.Length)]; break;
                default: bytes[random.Next(bytes.Length)] = bytes[random.Next(bytes.Length)]; break;
            }
        }
    }
}
