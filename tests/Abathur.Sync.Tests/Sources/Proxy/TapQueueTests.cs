using Abathur.Sync.Frames;
using Abathur.Sync.Sources.Proxy;

namespace Abathur.Sync.Tests.Sources.Proxy;

public class TapQueueTests
{
    [Fact]
    public async Task Complete_OfTheSlotThatIsAwaited_WakesTheReader()
    {
        using var queue = new TapQueue(TimeProvider.System);
        var request = queue.Reserve();
        var answer = queue.Reserve();
        queue.Add(answer, Message(2, bytes: 1));
        queue.Complete(answer, fromGame: true);
        await queue.WaitAsync();
        Assert.False(queue.TryTake(out _));
        var woken = queue.WaitAsync();
        Assert.False(woken.IsCompleted);
        queue.Add(request, Message(1, bytes: 1));
        queue.Complete(request, fromGame: false);
        await woken;
        Assert.True(queue.TryTake(out var first));
        Assert.True(queue.TryTake(out var second));
        Assert.Equal((1, 2), (first.FirstByte, second.FirstByte));
    }

    [Fact]
    public void Add_MoreThanFits_IsDroppedAndCounted()
    {
        using var queue = new TapQueue(TimeProvider.System);
        const int Size = 33 * 1024 * 1024;
        for (var i = 0; i < 3; i++)
        {
            var slot = queue.Reserve();
            queue.Add(slot, Message(i, Size));
            queue.Complete(slot, fromGame: true);
        }
        Assert.Equal(2, queue.Dropped);
        Assert.True(queue.TryTake(out var message));
        message.Payload.Release();
        var next = queue.Reserve();
        queue.Add(next, Message(9, 3 * Size));
        queue.Complete(next, fromGame: true);
        Assert.True(queue.TryTake(out message));
        Assert.Equal(9, message.FirstByte);
        message.Payload.Release();
        Assert.False(queue.TryTake(out _));
    }

    [Fact]
    public void Reserve_ManyChunksThatEndNoMessage_IsBounded()
    {
        using var queue = new TapQueue(TimeProvider.System);
        var slots = Enumerable.Range(0, 100_000).Select(_ => queue.Reserve()).ToList();
        Assert.InRange(slots.Count(slot => !slot.IsDropped), 1, 65_536);
        queue.Add(slots[^1], Message(1, bytes: 1));
        Assert.Equal(1, queue.Dropped);
        foreach (var slot in slots) queue.Complete(slot, fromGame: false);
        Assert.False(queue.TryTake(out _));
        Assert.False(queue.Reserve().IsDropped);
    }

    private static TappedMessage Message(long number, int bytes)
    {
        var payload = SharedBuffer.Rent(bytes);
        payload.GetSpan(bytes)[0] = 0;
        payload.Advance(bytes);
        return new TappedMessage(true, payload, number, 0, default);
    }
}
