using FsCheck;
using FsCheck.Fluent;
using global::Google.Protobuf;
using SC2APIProtocol;

namespace Abathur.Columns.Tests;

/// <summary>Streams of arbitrary messages, and damaged ones.</summary>
public class ColumnsFuzzTests
{
    private const int FramesOfAStream = 40;

    [Fact]
    public void Stream_ArbitraryMessagesWithRandomKeyframes_ComesBack() => ForAll(60, seed =>
    {
        var (fuzz, random, stream) = (new ObservationFuzz(seed), new Random(seed), new ColumnsStream());
        for (var i = 0; i < FramesOfAStream; i++) stream.SendAndCompare(fuzz.Next(), random.Next(8) == 0);
    });

    [Fact]
    public void Stream_JoinedAtAKeyframe_ComesBack() => ForAll(30, seed =>
    {
        var (fuzz, stream) = (new ObservationFuzz(seed), new ColumnsStream());
        var joiner = new ColumnsDecoder();
        for (var i = 0; i < FramesOfAStream; i++)
        {
            var observation = fuzz.Next();
            stream.Send(observation, i == 13);
            if (i < 13) continue;
            joiner.Decode(stream.Payload);
            SameObservation.Assert(ResponseObservation.Parser.ParseFrom(observation), ColumnsStream.Read(joiner));
        }
    });

    [Fact]
    public void Decode_FrameWasLost_TakesNothingUntilAKeyframe()
    {
        var (fuzz, stream) = (new ObservationFuzz(5), new ColumnsStream());
        stream.Send(fuzz.Next());
        var decoder = new ColumnsDecoder();
        stream.Send(fuzz.Next());
        Assert.Throws<InvalidDataException>(() => decoder.Decode(stream.Payload));
        Assert.Throws<InvalidOperationException>(() => ColumnsStream.Read(decoder));
        var observation = fuzz.Next();
        stream.Send(observation, keyframe: true);
        decoder.Decode(stream.Payload);
        SameObservation.Assert(ResponseObservation.Parser.ParseFrom(observation), ColumnsStream.Read(decoder));
    }

    [Fact]
    public void Decode_DamagedPayloads_RefusesOrTakesThemAndIsWholeAfterAKeyframe() => ForAll(60, seed =>
    {
        var (fuzz, random, stream) = (new ObservationFuzz(seed), new Random(seed), new ColumnsStream());
        var decoder = new ColumnsDecoder();
        for (var i = 0; i < FramesOfAStream; i++)
        {
            var observation = fuzz.Next();
            stream.Send(observation, i % 6 == 0);
            var before = GC.GetAllocatedBytesForCurrentThread();
            var isTaken = TryDecode(decoder, random.Next(3) == 0 ? stream.Payload : Damage(stream.Payload, random));
            // The largest tables that the format allows, doubled while they grow.
            Assert.InRange(GC.GetAllocatedBytesForCurrentThread() - before, 0, 400L << 20);
            if (isTaken) decoder.WriteObservation(new System.Buffers.ArrayBufferWriter<byte>());
            if (i % 6 != 0) continue;
            decoder.Decode(stream.Payload);
            SameObservation.Assert(ResponseObservation.Parser.ParseFrom(observation), ColumnsStream.Read(decoder));
        }
    });

    [Fact]
    public void Decode_EveryCut_Refused()
    {
        var (fuzz, stream) = (new ObservationFuzz(3), new ColumnsStream());
        for (var i = 0; i < 10; i++) stream.Send(fuzz.Next());
        stream.Send(fuzz.Next(), keyframe: true);
        for (var length = 0; length < stream.Payload.Length; length++)
        {
            var cut = stream.Payload[..length];
            Assert.Throws<InvalidDataException>(() => new ColumnsDecoder().Decode(cut));
        }
        Assert.Throws<InvalidDataException>(() => new ColumnsDecoder().Decode([.. stream.Payload, 0]));
    }

    [Theory]
    [InlineData("02 01 0000", "version 2")]
    [InlineData("01 02 0000", "a flag")]
    [InlineData("01 01 0004", "a section")]
    [InlineData("01 01 0100 FFFF 00 FF FFFFFFFF", "rows that get a new unit is 4294967295; at most 65535")]
    [InlineData("01 01 0100 0100 FF FFFFFFFF 00", "rows that become free is 4294967295; at most 0")]
    [InlineData("01 01 0100 0200 00 02 00 01 00 00", "do not ascend")]
    [InlineData("01 01 0100 0100 00 01 00 01 01 00", "do not ascend")]
    [InlineData("01 01 0100 0100 00 01 00 00 01 31 00", "columns that change do not ascend")]
    [InlineData("01 01 0100 0100 00 01 00 00 01 AD FFFF FFFF", "units have more than 262144 Orders")]
    [InlineData("01 01 0100 0100 00 01 00 00 01 2D 01", "units have more than 262144 Orders")]
    [InlineData("01 01 8000 01 FFFFFFFF", "4294967295")]
    [InlineData("01 01 8000 02 01 00 00", "number of changed bytes is 1; at most 0")]
    [InlineData("01 01 8000 03", "no such form")]
    [InlineData("01 01 0002 01 09000000 00 00000000 00000000", "extras are not in the order of the rows")]
    [InlineData("01 01 0002 01 01000000 00", "truncated")]
    public void Decode_FrameThatLies_RefusedWithoutRoomForIt(string hex, string message)
    {
        var frame = Convert.FromHexString(hex.Replace(" ", "", StringComparison.Ordinal));
        Allocated.AtMost(64L << 20, () =>
        {
            var error = Assert.Throws<InvalidDataException>(() => new ColumnsDecoder().Decode(frame));
            Assert.Contains(message, error.Message, StringComparison.Ordinal);
        });
    }

    [Fact]
    public void Encode_DamagedObservations_RefusedAsProtobufOrComeBack() => ForAll(60, seed =>
    {
        var (fuzz, random, stream) = (new ObservationFuzz(seed), new Random(seed), new ColumnsStream());
        for (var i = 0; i < FramesOfAStream; i++)
        {
            var observation = fuzz.Next();
            var damaged = random.Next(2) == 0 ? observation : Damage(observation, random);
            string? refusal = null;
            try
            {
                stream.Send(damaged);
            }
            catch (InvalidDataException e)
            {
                refusal = e.Message;
            }
            if (refusal is null)
            {
                if (TryParse(damaged) is { } message) SameObservation.Assert(message, ColumnsStream.Read(stream.Decoder));
                continue;
            }
            // What the encoder refuses is refused by protobuf, too, but for tags and lengths beyond 32 bits, which Google.Protobuf cuts
            // off.
            var isBeyond = refusal.Contains("field number out of range", StringComparison.Ordinal)
                || refusal.Contains("a field is longer than its message", StringComparison.Ordinal);
            Assert.True(isBeyond || TryParse(damaged) is null, refusal);
            stream.SendAndCompare(observation);
            Assert.True(stream.WasKeyframe);
        }
    });

    private static void ForAll(int runs, Action<int> property) =>
        Check.One(Config.QuickThrowOnFailure.WithMaxTest(Runs.Of(runs)), Prop.ForAll(Gen.Choose(0, int.MaxValue).ToArbitrary(), property));

    private static byte[] Damage(byte[] bytes, Random random)
    {
        var damaged = (byte[])bytes.Clone();
        for (var i = random.Next(1, 4); i > 0 && damaged.Length > 0; i--)
        {
            var at = random.Next(damaged.Length);
            switch (random.Next(4))
            {
                case 0: damaged[at] = (byte)random.Next(256); break;
                case 1: damaged[at] ^= (byte)(1 << random.Next(8)); break;
                case 2: damaged = [.. damaged[..at], (byte)random.Next(256), .. damaged[at..]]; break;
                default: damaged = [.. damaged[..at], .. damaged[Math.Min(damaged.Length, at + random.Next(1, 9))..]]; break;
            }
        }
        return damaged;
    }

    private static bool TryDecode(ColumnsDecoder decoder, byte[] payload)
    {
        try
        {
            decoder.Decode(payload);
            return true;
        }
        catch (InvalidDataException)
        {
            return false;
        }
    }

    private static ResponseObservation? TryParse(byte[] bytes)
    {
        try
        {
            return ResponseObservation.Parser.ParseFrom(bytes);
        }
        catch (InvalidProtocolBufferException)
        {
            return null;
        }
    }
}
