using Abathur.Sync.Hub.Scheduling;

namespace Abathur.Sync.Hub;

/// <summary>Sends what a subscription has.</summary>
public static class SendLoop
{
    /// <summary>Frames that a reader sends in a row before it yields its thread to others.</summary>
    internal const int FramesInATurn = 16;

    /// <summary>
    /// Sends frames, and the pending messages of the output, until the subscription has ended and all queued frames are sent. Returns why
    /// it ended. It also ends when the reader has disconnected.
    /// </summary>
    public static async Task<SubscriptionEnd> SendAsync(
        this Subscription subscription, IFrameOutput output, CancellationToken cancellationToken)
    {
        if (subscription.Earlier is { } earlier)
        {
            var scheduler = LowPriorityScheduler.HistoryFor(subscription.Options.MayAct);
            if (await scheduler.RunAsync(() => earlier.SendAsync(subscription, output, cancellationToken)) is { } earlyEnd) return earlyEnd;
        }
        subscription.Earlier = null;
        var isUnflushed = true;
        for (var inARow = 0; ;)
        {
            // Read before the queue, because nothing is queued after the end.
            var end = subscription.End;
            isUnflushed |= output.WritePending();
            var isFrame = subscription.TryTake(out var frame, out var dropped);
            if (isFrame)
            {
                subscription.CountSent(output.WriteFrame(frame, dropped));
                frame.Release();
                isUnflushed = true;
            }
            else if (end is not null && !subscription.IsOwedFrames)
            {
                return end;
            }
            if (isUnflushed && !await output.FlushAsync(cancellationToken)) subscription.Close();
            isUnflushed = false;
            if (subscription.IsComplete) return SubscriptionEnd.Complete;
            if (!isFrame)
            {
                await subscription.WaitAsync();
                inARow = 0;
            }
            else if (++inARow % FramesInATurn == 0)
            {
                await Task.Yield();
            }
        }
    }
}
