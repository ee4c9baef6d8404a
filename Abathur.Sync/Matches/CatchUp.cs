using Abathur.Sync.Frames;
using Abathur.Sync.Hub;
using Abathur.Sync.Hub.Scheduling;
using Abathur.Sync.Matches.History;

namespace Abathur.Sync.Matches;

/// <summary>
/// The first part of a subscription that starts in the past: sends the kept frames as fast as the reader takes them, then attaches the
/// subscription to the live frames, without gap or duplicate. Runs on a thread of low priority.
/// </summary>
/// <param name="history">The kept frames in its format.</param>
/// <param name="follow">Attaches it to the live frames. Null if there is no place for it: it has ended then.</param>
/// <param name="clock">Measures how long a batch takes.</param>
internal sealed class CatchUp(HistoryReader history, Func<Subscription, FrameHub.Following?> follow, TimeProvider clock) : IEarlierFrames
{
    /// <summary>Frames, and their bytes, after which they are passed to the operating system.</summary>
    private const int BatchFrames = 64, BatchBytes = 512 * 1024;

    /// <summary>How long a batch may take: a slow encoding leaves the thread to the other readers.</summary>
    private static readonly TimeSpan BatchTime = TimeSpan.FromMilliseconds(20);

    private static SubscriptionEnd Lost { get; } = new(
        SubscriptionEndReason.SlowConsumer,
        "the kept frames that follow were dropped before they were read: read faster, or keep more (--history-mb)");

    /// <summary>Sends the kept frames. Returns why the subscription has ended; null if live frames follow.</summary>
    public async Task<SubscriptionEnd?> SendAsync(Subscription subscription, IFrameOutput output, CancellationToken cancellationToken)
    {
        history.Grown += subscription.Wake;
        try
        {
            return await SendKeptAsync(subscription, output, cancellationToken);
        }
        finally
        {
            history.Grown -= subscription.Wake;
            history.Dispose();
        }
    }

    /// <inheritdoc/>
    public void Dispose() => history.Dispose();

    private async Task<SubscriptionEnd?> SendKeptAsync(Subscription subscription, IFrameOutput output, CancellationToken cancellationToken)
    {
        FrameHub.Following? attached = null;
        while (true)
        {
            var (bytes, frames) = (0, 0);
            var start = clock.GetTimestamp();
            var mayGrow = history.MayGrow;
            // Asked once: a credit that comes while messages are sent would hide why no frame was read.
            var hasCredit = true;
            output.WritePending();
            // At least one frame, where there is one: a batch without any means that nothing more can be read.
            while (frames < BatchFrames && bytes < BatchBytes && (frames == 0 || clock.GetElapsedTime(start) < BatchTime)
                && !IsOver(subscription) && (hasCredit = subscription.HasCredit)
                && TryRead(subscription, attached?.LastSequence ?? ulong.MaxValue, out var frame, out var skipped))
            {
                (bytes, frames) = (bytes + Write(subscription, output, frame, skipped), frames + 1);
                LowPriorityThread.LetOthersRun();
            }
            if (!await output.FlushAsync(cancellationToken)) subscription.Close();
            if (IsOver(subscription)) return subscription.End ?? SubscriptionEnd.Complete;
            if (frames > 0)
            {
                // Other readers, and the frames that are to be kept, have a turn.
                await Task.Yield();
            }
            else if (!hasCredit)
            {
                await subscription.WaitAsync();
            }
            else if (attached is null && !history.IsLost)
            {
                attached = follow(subscription);
            }
            else if (history.LastSequence >= attached?.LastSequence || (history.IsEmpty && !mayGrow && !history.IsLost))
            {
                if (attached!.Value.IsLive) return null;
                if (TryRead(subscription, until: null, out var last, out var before))
                {
                    Write(subscription, output, last, before);
                    await output.FlushAsync(cancellationToken);
                }
                return subscription.End;
            }
            else if (mayGrow && !history.IsLost)
            {
                await subscription.WaitAsync();
            }
            else
            {
                subscription.Finish(Lost);
                return Lost;
            }
        }
    }

    private static int Write(Subscription subscription, IFrameOutput output, EncodedFrame frame, in DroppedFrames skipped)
    {
        subscription.CountTaken(frame);
        var size = output.WriteFrame(frame, skipped);
        subscription.CountSent(size);
        frame.Release();
        return size;
    }

    /// <summary>Whether the subscription has ended for a reason after which nothing is sent, or has all frames that it asked for.</summary>
    private static bool IsOver(Subscription subscription) => subscription.IsComplete
        || subscription.End is { IsOfMatch: false };

    /// <summary>Reads the next kept frame up to one; null: the last frame of the match, if downsampling has excluded it.</summary>
    private bool TryRead(Subscription subscription, ulong? until, out EncodedFrame frame, out DroppedFrames skipped)
    {
        try
        {
            return until is { } last ? history.TryRead(last, out frame, out skipped) : history.TryReadLast(out frame, out skipped);
        }
        catch (InvalidDataException e)
        {
            subscription.Finish(new(
                SubscriptionEndReason.BadFrame, $"the history cannot be sent as {subscription.Options.Format}: {e.Message}"));
            (frame, skipped) = (null!, default);
            return false;
        }
    }
}
