using Abathur.Protobuf.FieldMasks;
using Abathur.Sync.Frames;
using Abathur.Sync.Hub;
using Google.Protobuf;
using SC2APIProtocol;

namespace Abathur.Sync.Tests.Hub;

public class EventLogTests
{
    private readonly EventLog _log = new();

    [Fact]
    public void Between_FramesWithAndWithoutEvents_HasThoseOfTheRangeInOrder()
    {
        for (var sequence = 1ul; sequence <= 20; sequence++) Add(sequence, sequence % 3 == 0 ? [sequence, sequence + 100] : []);

        Assert.Equal([6ul, 106, 9, 109, 12, 112], Dead(_log.Between(4, 14, null)));
        Assert.Null(_log.Between(7, 8, null));
        Assert.Null(_log.Between(30, 40, null));
        Assert.Equal([18ul, 118], Dead(_log.Between(17, 40, null)));
    }

    [Fact]
    public void Between_SameRange_IsTheSameObject()
    {
        Add(1, [7]);
        Assert.Same(_log.Between(1, 1, null), _log.Between(1, 1, null));
    }

    [Fact]
    public void Between_FieldMask_AppliesToEvents()
    {
        Add(1, [7], chat: "hello");
        var onlyUnits = WireProjection.For(ResponseObservation.Descriptor, ["observation.raw_data.units"]);
        var onlyChat = WireProjection.For(ResponseObservation.Descriptor, ["chat", "observation.raw_data.units"]);

        Assert.Null(_log.Between(1, 1, onlyUnits));
        var message = ResponseObservation.Parser.ParseFrom(_log.Between(1, 1, onlyChat)!.Message.Span);
        Assert.Equal(new ResponseObservation { Chat = { new ChatReceived { Message = "hello" } } }, message);
    }

    [Fact]
    public void Add_MoreThanIsKept_DropsTheOldestAndSaysSo()
    {
        var text = new string('x', 10_000);
        const int Frames = 300;
        for (var sequence = 1ul; sequence <= Frames; sequence++) Add(sequence, [sequence], text);

        var newest = _log.Between(Frames - 9, Frames, null)!;
        Assert.False(newest.IsIncomplete);
        Assert.Equal(10, Dead(newest).Length);
        var oldest = _log.Between(1, 10, null)!;
        Assert.True(oldest.IsIncomplete);
        Assert.True(oldest.Message.IsEmpty);
        // One frame does not carry all that is kept.
        var all = _log.Between(1, Frames, null)!;
        Assert.True(all.IsIncomplete);
        Assert.InRange(all.Message.Length, EventLog.MaxFrameBytes - 20_000, EventLog.MaxFrameBytes + 64);
    }

    [Fact]
    public void Add_DamagedObservation_HasNoEvents()
    {
        Publish(1, [0x0a, 0xff]);
        Add(2, [5]);
        Assert.Equal([5ul], Dead(_log.Between(1, 2, null)));
    }

    private static ulong[] Dead(SkippedEventsMessage? message) =>
        [.. ResponseObservation.Parser.ParseFrom(message!.Message.Span).Observation?.RawData?.Event?.DeadUnits ?? []];

    private void Add(ulong sequence, ulong[] dead, string? chat = null)
    {
        var observation = new ResponseObservation
        {
            Observation = new Observation { GameLoop = (uint)sequence, RawData = new ObservationRaw { Units = { new Unit { Tag = 1 } } } },
        };
        if (dead.Length > 0) observation.Observation.RawData.Event = new SC2APIProtocol.Event { DeadUnits = { dead } };
        if (chat is not null) observation.Chat.Add(new ChatReceived { Message = chat });
        Publish(sequence, observation.ToByteArray());
    }

    private void Publish(ulong sequence, byte[] observation)
    {
        var buffer = SharedBuffer.Rent();
        observation.CopyTo(buffer.GetSpan(observation.Length));
        buffer.Advance(observation.Length);
        var frame = SharedFrame.Rent((uint)sequence, default, buffer);
        frame.MarkPublished("m", sequence, default);
        _log.Add(frame);
        frame.Release();
    }
}
