using System.Buffers;
using Abathur.Recordings.Tests;
using Abathur.Sync.Frames;
using Abathur.Sync.Transports.Framing;
using Abathur.Sync.V1;
using Google.Protobuf;
using SC2APIProtocol;

namespace Abathur.Sync.Tests.Transports.Framing;

public class FramingTests
{
    public static TheoryData<ulong, uint, uint, string> Cases => new()
    {
        { 0, 0, 0, "match" },
        { 1, 0, 0, "" },
        { 300, 5, 1_000_000, "quote \" and \\ and ü and \u0001" },
        { ulong.MaxValue >> 1, uint.MaxValue, uint.MaxValue, "m" },
    };

    [Theory]
    [MemberData(nameof(Cases))]
    public void WriteFrame_AnyEnvelope_IsWhatGoogleProtobufWrites(ulong dropped, uint first, uint last, string matchId)
    {
        var observation = RecordingSample.Observation(77, 5000);
        var missed = new DroppedFrames(dropped, first, last);
        var (encoded, expected) = Make(matchId, observation, missed);
        expected.Encoding = V1.Encoding.Proto;
        expected.Observation = ResponseObservation.Parser.ParseFrom(observation);

        var output = new ArrayBufferWriter<byte>();
        ProtoFraming.WriteFrame(output, encoded, missed);

        Assert.Equal(expected.ToByteArray(), output.WrittenSpan.ToArray());
        Assert.Equal(output.WrittenCount, ProtoFraming.MeasureFrame(encoded, missed));
        encoded.Release();
    }

    [Theory]
    [MemberData(nameof(Cases))]
    public void WriteLine_AnyEnvelope_ParsesToTheSameMessage(ulong dropped, uint first, uint last, string matchId)
    {
        var observation = RecordingSample.Observation(77, 5000);
        var missed = new DroppedFrames(dropped, first, last);
        var (encoded, expected) = Make(matchId, observation, missed, json: true);
        expected.Encoding = V1.Encoding.Json;
        expected.Observation = ResponseObservation.Parser.ParseFrom(observation);

        var output = new ArrayBufferWriter<byte>();
        JsonFraming.WriteLine(output, encoded, missed);

        var line = System.Text.Encoding.UTF8.GetString(output.WrittenSpan);
        Assert.EndsWith("\n", line, StringComparison.Ordinal);
        Assert.Equal(line.Length - 1, line.IndexOf('\n', StringComparison.Ordinal));
        Assert.Equal(new ServerMessage { Frame = expected }, JsonParser.Default.Parse<ServerMessage>(line));
        encoded.Release();
    }

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public void WriteFrameAndLine_SkippedEvents_AreInTheMessage(bool isIncomplete)
    {
        var events = new ResponseObservation
        {
            Chat = { new ChatReceived { PlayerId = 1, Message = "gg \"well\" played" } },
            Observation = new Observation
            {
                RawData = new ObservationRaw { Event = new SC2APIProtocol.Event { DeadUnits = { 1, ulong.MaxValue } } },
            },
        };
        var missed = new DroppedFrames(2, 5, 6) { Events = new(events.ToByteArray(), isIncomplete) };
        var observation = RecordingSample.Observation(77);
        var (encoded, expected) = Make("m", observation, missed);
        expected.Encoding = V1.Encoding.Proto;
        expected.Observation = ResponseObservation.Parser.ParseFrom(observation);
        expected.SkippedEvents = events;
        expected.SkippedEventsIncomplete = isIncomplete;

        var output = new ArrayBufferWriter<byte>();
        ProtoFraming.WriteFrame(output, encoded, missed);

        Assert.Equal(expected.ToByteArray(), output.WrittenSpan.ToArray());
        Assert.Equal(output.WrittenCount, ProtoFraming.MeasureFrame(encoded, missed));
        encoded.Release();

        (encoded, expected) = Make("m", observation, missed, json: true);
        expected.Encoding = V1.Encoding.Json;
        expected.Observation = ResponseObservation.Parser.ParseFrom(observation);
        expected.SkippedEvents = events;
        expected.SkippedEventsIncomplete = isIncomplete;
        var line = encoded.RentMessage(JsonFraming.Line, missed);
        Assert.Equal(
            new ServerMessage { Frame = expected },
            JsonParser.Default.Parse<ServerMessage>(System.Text.Encoding.UTF8.GetString(line.Span)));
        line.Release();
        encoded.Release();
    }

    [Fact]
    public void RentMessage_ForReadersWithTheSameEventsBefore_IsMadeOnce()
    {
        var (encoded, _) = Make("m", RecordingSample.Observation(1), default);
        var events = new SkippedEventsMessage(new ResponseObservation { Chat = { new ChatReceived() } }.ToByteArray(), false);
        var first = encoded.RentMessage(ProtoFraming.LengthPrefixed, new DroppedFrames { Events = events });
        var second = encoded.RentMessage(ProtoFraming.LengthPrefixed, new DroppedFrames { Events = events });
        var without = encoded.RentMessage(ProtoFraming.LengthPrefixed, default);

        Assert.Same(first, second);
        Assert.NotNull(ServerMessage.Parser.ParseFrom(first.Span[ProtoFraming.PrefixBytes..]).Frame.SkippedEvents);
        Assert.Null(ServerMessage.Parser.ParseFrom(without.Span[ProtoFraming.PrefixBytes..]).Frame.SkippedEvents);
        foreach (var message in new[] { first, second, without }) message.Release();
        encoded.Release();
    }

    [Fact]
    public void WriteFrame_UnknownFieldsInTheObservation_StayWhereTheyAre()
    {
        // Field 999 of a newer game build, in front of what we know.
        byte[] observation = [0xba, 0x3e, 0x03, 1, 2, 3, .. RecordingSample.Observation(1)];
        var (encoded, _) = Make("m", observation, default);

        var output = new ArrayBufferWriter<byte>();
        ProtoFraming.WriteFrame(output, encoded, default);

        Assert.Equal(observation, output.WrittenSpan[^observation.Length..].ToArray());
        encoded.Release();
    }

    [Fact]
    public void RentMessage_ForReadersWhoMissedNothing_IsMadeOnceForEachFraming()
    {
        var (encoded, _) = Make("m", RecordingSample.Observation(1), default);
        var first = encoded.RentMessage(ProtoFraming.LengthPrefixed, default);
        var second = encoded.RentMessage(ProtoFraming.LengthPrefixed, default);
        var late = encoded.RentMessage(ProtoFraming.LengthPrefixed, new DroppedFrames(1, 5, 5));
        var line = encoded.RentMessage(JsonFraming.Line, default);

        Assert.Same(first, second);
        Assert.Equal(1UL, ServerMessage.Parser.ParseFrom(late.Span[ProtoFraming.PrefixBytes..]).Frame.Dropped);
        Assert.Equal(0UL, ServerMessage.Parser.ParseFrom(first.Span[ProtoFraming.PrefixBytes..]).Frame.Dropped);
        Assert.StartsWith("{\"frame\":", System.Text.Encoding.UTF8.GetString(line.Span), StringComparison.Ordinal);
        foreach (var message in new[] { first, second, late, line }) message.Release();
        encoded.Release();
    }

    private static (EncodedFrame Encoded, V1.Frame Expected) Make(
        string matchId, byte[] observation, DroppedFrames missed, bool json = false)
    {
        var buffer = SharedBuffer.Rent();
        observation.CopyTo(buffer.GetSpan(observation.Length));
        buffer.Advance(observation.Length);
        var frame = SharedFrame.Rent(77, new FrameStamp(123_456_789, 1_790_000_000_000_000_000), buffer);
        frame.MarkPublished(matchId, 9, new FrameStamp(123_456_999, 1_790_000_000_000_000_100));
        EncodedFrame encoded;
        if (json)
        {
            var payload = SharedBuffer.Rent();
            payload.Write(
                System.Text.Encoding.UTF8.GetBytes(JsonFormatter.Default.Format(ResponseObservation.Parser.ParseFrom(observation))));
            encoded = EncodedFrame.Encoded(frame, new(V1.Encoding.Json), payload, EncodedPayload.Keyframe, 123_457_111);
        }
        else
        {
            encoded = EncodedFrame.Plain(frame);
        }
        frame.Release();
        var expected = new V1.Frame
        {
            MatchId = matchId,
            Sequence = 9,
            GameLoop = 77,
            CapturedMonotonicNs = 123_456_789,
            CapturedUnixNs = 1_790_000_000_000_000_000,
            PublishedMonotonicNs = 123_456_999,
            PublishedUnixNs = 1_790_000_000_000_000_100,
            Keyframe = true,
            Dropped = missed.Count,
            EncodedMonotonicNs = json ? 123_457_111 : 0,
        };
        if (missed.Count > 0)
        {
            expected.DroppedFirstGameLoop = missed.FirstGameLoop;
            expected.DroppedLastGameLoop = missed.LastGameLoop;
        }
        return (encoded, expected);
    }
}
