using Abathur.Benchmarks.Codecs;
using Abathur.Benchmarks.Match;
using FsCheck;
using FsCheck.Fluent;
using Google.Protobuf;
using SC2APIProtocol;

namespace Abathur.Benchmarks.Tests;

public class CodecTests
{
    public static TheoryData<string> Names => [.. CodecCatalog.Names];

    public static TheoryData<string> AllNames =>
    [
        .. CodecCatalog.FrameNames.Append("columns")
            .SelectMany(name => CodecCatalog.Compressions.Select(suffix => $"{name}+{suffix}").Prepend(name)),
        .. CodecCatalog.StreamNames.Except(["columns"]),
    ];

    [Theory]
    [MemberData(nameof(AllNames))]
    public void Codec_RecordedFrames_ComeBackEqual(string name)
    {
        var codec = CodecCatalog.TryCreate(name)!;
        foreach (var observation in Skirmish.Observations().Where((_, i) => i % 192 == 0))
        {
            var check = CodecCheck.Run(codec, observation);
            Assert.Null(check.Problem);
            Assert.False(check.LostUnknownFields);
            Assert.InRange(check.Bytes, 1, 10 * observation.Length);
        }
    }

    public static TheoryData<string> LosslessNames =>
        [.. CodecCatalog.Names.Where(name => CodecCatalog.TryCreate(name)!.CannotCarry.Count == 0)];

    [Theory]
    [MemberData(nameof(LosslessNames))]
    public void Codec_GeneratedObservations_ComeBackEqual(string name)
    {
        var codec = CodecCatalog.TryCreate(name)!;
        Prop.ForAll(
            GeneratedObservation.Arbitrary,
            observation => Assert.Null(CodecCheck.Run(codec, observation.ToByteArray()).Problem)).QuickCheckThrowOnFailure();
    }

    [Fact]
    public void ServiceStackText_EmptyBytes_ComeBackAsAbsent()
    {
        var codec = CodecCatalog.TryCreate("servicestack-text")!;
        var image = new ImageData { BitsPerPixel = 8, Data = ByteString.Empty };
        var raw = new ObservationRaw { MapState = new MapState { Creep = image } };
        var observation = new ResponseObservation { Observation = new Observation { RawData = raw } };
        var decoded = codec.ToObservation(codec.Decode(codec.Encode(codec.Prepare(observation.ToByteArray()))));
        Assert.False(decoded.Observation.RawData.MapState.Creep.HasData);
        Assert.Equal(["empty bytes, which come back as absent"], codec.CannotCarry);
    }

    [SharedFact("observations")]
    public void Codecs_RealFrames_ComeBackEqual()
    {
        var files = Directory.EnumerateFiles(SharedData.PathTo("observations"), "observation.binpb", SearchOption.AllDirectories)
            .Take(8)
            .ToArray();
        Assert.NotEmpty(files);
        foreach (var name in CodecCatalog.Names)
        {
            var codec = CodecCatalog.TryCreate(name)!;
            Assert.All(files, file => Assert.Null(CodecCheck.Run(codec, File.ReadAllBytes(file)).Problem));
        }
    }

    [Fact]
    public void Touch_SameFrame_GivesTheSameChecksumInEveryCodec()
    {
        var observation = Skirmish.Observation();
        // Columns have another order of units.
        var whole = CodecCatalog.Names.Where(name => name != "projection" && !name.StartsWith("columns", StringComparison.Ordinal))
            .Select(CodecCatalog.TryCreate)
            .Select(codec => Touch(codec!, observation))
            .ToArray();
        Assert.True(whole.Length >= 6);
        Assert.Single(whole.Distinct());
    }

    [Fact]
    public void Touch_AnyFieldChanged_GivesAnotherChecksum()
    {
        var codec = CodecCatalog.TryCreate("protobuf")!;
        var observation = ResponseObservation.Parser.ParseFrom(Skirmish.LastObservation());
        var before = Touch(codec, observation.ToByteArray());
        var changes = new Action<ResponseObservation>[]
        {
            changed => changed.Observation.GameLoop++,
            changed => changed.Observation.RawData.Units[^1].Pos.X += 0.5f,
            changed => changed.Observation.RawData.Units[0].Tag ^= 1UL << 40,
            changed => changed.Observation.RawData.Units[3].DisplayType = DisplayType.Hidden,
            changed => changed.Chat.Add(new ChatReceived { Message = "gg" }),
            changed =>
                changed.Observation.RawData.MapState.Creep.Data = ByteString.CopyFrom(
                    [.. changed.Observation.RawData.MapState.Creep.Data.Select((each, i) => i == 77 ? (byte)(each ^ 1) : each)]),
        };
        Assert.All(changes, change =>
        {
            var changed = observation.Clone();
            change(changed);
            Assert.NotEqual(before, Touch(codec, changed.ToByteArray()));
        });
    }

    [Theory]
    [InlineData("protobuf", false)]
    [InlineData("protobuf-buffer", false)]
    [InlineData("protojson", true)]
    [InlineData("protojson-google", true)]
    [InlineData("system-text-json", true)]
    [InlineData("cbor", true)]
    public void Check_UnknownFields_SaysWhetherTheyCameBack(string name, bool lost)
    {
        // game_loop of the observation, and field 900 beside it, which no .proto file has.
        byte[] observation = [0x1a, 0x05, 0x48, 0x07, 0xa0, 0x38, 0x07];
        var check = CodecCheck.Run(CodecCatalog.TryCreate(name)!, observation);
        Assert.Null(check.Problem);
        Assert.Equal(lost, check.LostUnknownFields);
    }

    [Theory]
    [InlineData("protobuf", false)]
    [InlineData("cbor", false)]
    [InlineData("protojson", false)]
    [InlineData("protojson-google", false)]
    [InlineData("system-text-json", true)]
    public void Check_NotANumber_SaysWhetherItIsRefused(string name, bool refused)
    {
        var unit = new Unit { Facing = float.NaN, Health = float.PositiveInfinity };
        var observation = new ResponseObservation { Observation = new Observation { RawData = new ObservationRaw { Units = { unit } } } };
        Assert.Equal(refused, CodecCheck.Run(CodecCatalog.TryCreate(name)!, observation.ToByteArray()).Problem is not null);
    }

    [Fact]
    public void Check_CodecThatLosesAField_SaysWhere()
    {
        var check = CodecCheck.Run(new ForgetfulCodec(), Skirmish.Observation());
        Assert.Equal("observation.raw_data.units[2].pos.x differs after decoding", check.Problem);
    }

    [Theory]
    [InlineData("nothing")]
    [InlineData("")]
    [InlineData("protobuf+")]
    [InlineData("protobuf+lz4")]
    [InlineData("protobuf+gzip+zstd")]
    [InlineData("Protobuf")]
    public void TryCreate_NameThatIsNotThere_GivesNull(string name) => Assert.Null(CodecCatalog.TryCreate(name));

    private static ulong Touch(ICodec codec, byte[] observation) => codec.Touch(codec.Decode(codec.Encode(codec.Prepare(observation))));

    private sealed class ForgetfulCodec : ICodec
    {
        private readonly ProtobufCodec _inner = new();

        public string Label => "";

        public IReadOnlyList<string> Footnotes => [];

        public object Prepare(byte[] observation) => _inner.Prepare(observation);

        public ReadOnlyMemory<byte> Encode(object source) => _inner.Encode(source);

        public object Decode(ReadOnlyMemory<byte> encoded)
        {
            var decoded = (ResponseObservation)_inner.Decode(encoded);
            decoded.Observation.RawData.Units[2].Pos.ClearX();
            return decoded;
        }

        public ulong Touch(object decoded) => _inner.Touch(decoded);

        public ResponseObservation ToObservation(object decoded) => (ResponseObservation)decoded;
    }
}
