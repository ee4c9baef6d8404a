using System.Buffers;
using Abathur.Columns.Tables;
using global::Google.Protobuf;
using SC2APIProtocol;

namespace Abathur.Columns.Tests;

/// <summary>Rows, limits, merging and memory.</summary>
public class ColumnsEncoderTests
{
    private const int TagColumn = 40;
    private const int XColumn = 0;
    private const int SpeedColumn = 2;

    [Fact]
    public void Encode_UnitsComeAndGo_EachKeepsItsRowAndTheLowestFreeOneIsTaken()
    {
        var stream = new ColumnsStream();
        stream.Send(Units(10, 11, 12, 13));
        Assert.Equal([10, 11, 12, 13], Tags(stream));
        stream.Send(Units(13, 12, 10));
        Assert.Equal([10, 0, 12, 13], Tags(stream));
        Assert.Equal([true, false, true, true], stream.Decoder.IsUsed.ToArray());
        stream.Send(Units(13, 12));
        stream.Send(Units(99, 13, 12, 10));
        Assert.Equal([99, 10, 12, 13], Tags(stream));
        stream.Send(Units(99, 12), keyframe: true);
        Assert.Equal([99, 0, 12], Tags(stream));
        stream.SendAndCompare(Units());
        Assert.Equal(0, stream.Decoder.Table(TableId.Units).Rows);
    }

    [Fact]
    public void Encode_SeveralUnitsWithOneTag_TheFirstKeepsTheRow()
    {
        var stream = new ColumnsStream();
        stream.SendAndCompare(Observation(Unit(7, 1), Unit(7, 2), Unit(8, 3)));
        Assert.Equal([7, 7, 8], Tags(stream));
        var first = stream.Decoder.Table(TableId.Units).Column(XColumn)[0];
        Assert.Equal(4096, first);
        stream.SendAndCompare(Observation(Unit(8, 3), Unit(7, 5), Unit(7, 1)));
        Assert.Equal([5 * 4096, 1 * 4096, 3 * 4096], stream.Decoder.Table(TableId.Units).Column(XColumn).ToArray());
        stream.SendAndCompare(Observation(new Unit { Pos = new Point { X = 1 } }, new Unit(), Unit(0, 2)));
        stream.SendAndCompare(Observation(new Unit(), new Unit { Pos = new Point { X = 1 } }, Unit(0, 2)));
    }

    [Fact]
    public void Encode_UnitWalksAsItFaces_NeedsNoChangesOfItsPlace()
    {
        var stream = new ColumnsStream();
        for (var i = 0; i < 20; i++)
        {
            // A tenth of a cell a frame, in a direction that is 3π/2 + 1000/4096.
            var (x, y) = (50 + (0.1 * i * Math.Sin(1000 / 4096.0)), 60 - (0.1 * i * Math.Cos(1000 / 4096.0)));
            var unit = Unit(1, (float)(Math.Round(x * 4096) / 4096));
            unit.Pos.Y = (float)(Math.Round(y * 4096) / 4096);
            unit.Facing = (float)(4.71238898038469 + (1000 / 4096.0));
            stream.SendAndCompare(Observation(unit));
        }
        Assert.InRange(stream.Decoder.Table(TableId.Units).Column(SpeedColumn)[0], 408, 411);
        Assert.InRange(stream.Payload.Length, 4, 20);
    }

    [Fact]
    public void Encode_FiveThousandUnitsThatAllChange_ComeBack()
    {
        var random = new Random(4);
        var units = Enumerable.Range(0, 5000).Select(i => Unit((ulong)i << 18, i)).ToArray();
        var stream = new ColumnsStream();
        for (var frame = 0; frame < 5; frame++)
        {
            foreach (var unit in units) unit.Health = random.Next(1000);
            random.Shuffle(units);
            stream.SendAndCompare(Observation(units));
        }
    }

    [Fact]
    public void Encode_MoreUnitsThanTheTableTakes_TheOthersStayInTheRest()
    {
        var units = Enumerable.Range(0, 65_540).Select(i => new Unit { Tag = (ulong)i }).ToArray();
        var stream = new ColumnsStream();
        stream.SendAndCompare(Observation(units));
        Assert.Equal(65_535, stream.Decoder.Table(TableId.Units).Rows);
        stream.SendAndCompare(Observation(units[100..]));
        stream.SendAndCompare(Observation(units));
    }

    [Fact]
    public void Encode_MoreOrdersThanTheTableTakes_TheirUnitsStayInTheRest()
    {
        var huge = Unit(1, 1);
        for (var i = 0; i < 262_140; i++) huge.Orders.Add(new UnitOrder());
        var (few, more) = (Unit(2, 2), Unit(3, 3));
        for (var i = 0; i < 4; i++) few.Orders.Add(new UnitOrder { AbilityId = 3 });
        for (var i = 0; i < 5; i++) more.Orders.Add(new UnitOrder { AbilityId = 3 });
        var stream = new ColumnsStream();
        stream.SendAndCompare(Observation(huge, more, few));
        Assert.Equal((2, 262_144), (stream.Decoder.Table(TableId.Units).Rows, stream.Decoder.Table(TableId.Orders).Rows));
        stream.SendAndCompare(Observation(more, few, huge));
        stream.SendAndCompare(Observation(few, huge, more));
        stream.SendAndCompare(Observation(few, more));
    }

    [Theory]
    [InlineData("order target: position, then tag", "B201 0B 12 05 0D 0000803F 18 07 08 05")]
    [InlineData("order target: tag, then position", "B201 0B 18 07 08 05 12 05 0D 0000803F")]
    [InlineData("order target: position with an unknown field, tag, position", "B201 0D 12 02 48 09 18 07 12 05 15 0000803F")]
    [InlineData("order target: two positions that merge", "B201 0E 12 05 0D 0000803F 12 05 15 0000803F")]
    [InlineData("position twice, with unknown fields in both", "32 07 0D 0000803F 48 01 32 07 15 0000803F 48 02")]
    [InlineData("buffs packed and not", "DA01 03 01 02 03 D801 04 DA01 00 D801 FFFFFFFFFFFFFFFFFF01")]
    [InlineData("numbers longer than their type", "20 FFFFFFFFFFFFFFFFFF01 28 FFFFFFFFFFFFFFFFFF01 58 8080808010")]
    [InlineData("fields of another wire type", "18 05 1A 01 41 25 01000000 38 01 B001 02 DD01 00000000")]
    [InlineData("tag twice", "18 05 18 06")]
    [InlineData("groups", "18 05 13 08 01 14 C33E D33E D43E C43E")]
    [InlineData("unknown fields in passengers and rally targets", "C201 05 C83E 01 08 05 EA02 07 0A 03 C83E 02 10 03")]
    public void Encode_UnitAsOnlyAParserTakesIt_MergedLikeProtobuf(string what, string hex)
    {
        var unit = Convert.FromHexString(hex.Replace(" ", "", StringComparison.Ordinal));
        if (unit.Length > 120) Assert.Fail(what);
        var stream = new ColumnsStream();
        byte[] rawData = [0x12, (byte)unit.Length, .. unit];
        byte[] observation = [0x2A, (byte)rawData.Length, .. rawData];
        byte[] response = [0x1A, (byte)observation.Length, .. observation];
        Assert.Single(ResponseObservation.Parser.ParseFrom(response).Observation.RawData.Units);
        stream.SendAndCompare(Units(1));
        stream.SendAndCompare(response);
        // Twice the same message: the two halves are merged, and so two units.
        stream.SendAndCompare([.. response, .. response]);
        stream.SendAndCompare(response);
    }

    [Theory]
    [InlineData("")]
    [InlineData("1A00")]
    [InlineData("1A022A00")]
    [InlineData("1A042A021A00")]
    [InlineData("1A062A041A020A00")]
    [InlineData("1A082A061A040A021A00")]
    [InlineData("1A082A061A0412021A00")]
    [InlineData("1A042A021200")]
    [InlineData("2801")]
    public void Encode_HardlyAnything_NothingAppearsThatWasNotThere(string hex)
    {
        var stream = new ColumnsStream();
        stream.SendAndCompare(Convert.FromHexString(hex));
        stream.SendAndCompare(Units(1, 2));
        stream.SendAndCompare(Convert.FromHexString(hex));
        stream.SendAndCompare(Convert.FromHexString(hex), keyframe: true);
    }

    [Fact]
    public void Encode_NoProtobuf_WritesNothingAndTheNextFrameIsAKeyframe()
    {
        var stream = new ColumnsStream();
        stream.Send(Units(1, 2, 3));
        stream.Send(Units(1, 2));
        Assert.False(stream.WasKeyframe);
        var output = new ArrayBufferWriter<byte>();
        Assert.Throws<InvalidDataException>(() => stream.Encoder.Encode([.. Units(9, 8, 7), 0x1A, 5], false, output));
        Assert.Equal(0, output.WrittenCount);
        stream.SendAndCompare(Units(3, 2));
        Assert.True(stream.WasKeyframe);
    }

    [Fact]
    public void EncodeAndDecode_MatchSeenBefore_AllocateNothing()
    {
        var frames = CommittedRecording.Observations().Skip(400).Take(120).ToArray();
        var (encoder, decoder) = (new ColumnsEncoder(), new ColumnsDecoder());
        var (payload, observation) = (new ArrayBufferWriter<byte>(1 << 20), new ArrayBufferWriter<byte>(1 << 20));
        Pass();
        Allocated.AtMost(0, Pass);

        void Pass()
        {
            for (var i = 0; i < frames.Length; i++)
            {
                payload.ResetWrittenCount();
                observation.ResetWrittenCount();
                encoder.Encode(frames[i], i % 50 == 0, payload);
                decoder.Decode(payload.WrittenSpan);
                decoder.WriteObservation(observation);
            }
        }
    }

    private static Unit Unit(ulong tag, float x) => new() { Tag = tag, UnitType = 1, Owner = 1, Pos = new Point { X = x } };

    private static byte[] Units(params ulong[] tags) => Observation([.. tags.Select(tag => Unit(tag, 1))]);

    private static byte[] Observation(params Unit[] units) =>
        new ResponseObservation { Observation = new Observation { RawData = new ObservationRaw { Units = { units } } } }.ToByteArray();

    private static long[] Tags(ColumnsStream stream) => stream.Decoder.Table(TableId.Units).Column(TagColumn).ToArray();
}
