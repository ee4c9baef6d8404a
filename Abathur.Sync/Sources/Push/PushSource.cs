using Abathur.Sync.Hub;
using Abathur.Sync.Matches;
using Abathur.Sync.Matches.Recording;
using Abathur.Sync.Requests;
using Abathur.Sync.Sources.Feed;
using Abathur.Sync.V1;

namespace Abathur.Sync.Sources.Push;

/// <summary>A bot, in any language, publishes its own observations. One bot at a time, and one match.</summary>
/// <param name="recorder">Records the match; null: it is not recorded. The caller disposes it.</param>
/// <param name="clock">Clock of the stamps.</param>
public sealed class PushSource(MatchRecorder? recorder, TimeProvider clock) : IMatchSource
{
    private readonly TaskCompletionSource<MatchFeed> _feed = new(TaskCreationOptions.RunContinuationsAsynchronously);
    private readonly TaskCompletionSource<SubscriptionEnd> _over = new(TaskCreationOptions.RunContinuationsAsynchronously);
    private readonly Lock _gate = new();
    private bool _busy;

    /// <inheritdoc/>
    public MatchAbilities Abilities { get; } = new()
    {
        Kind = SourceKind.Push,
        Describe = status => status.Recording = recorder?.Status,
    };

    /// <summary>Opens a publication. The caller disposes it when the bot has disconnected.</summary>
    /// <exception cref="RequestException">Another bot publishes (ALREADY_EXISTS) or has published (FAILED_PRECONDITION).</exception>
    public async Task<Publication> OpenAsync(CancellationToken cancellation)
    {
        // The ports are open shortly before the source runs.
        var feed = await _feed.Task.WaitAsync(cancellation);
        lock (_gate)
        {
            if (_over.Task.IsCompleted) throw new RequestException(RequestStatus.FailedPrecondition, "the match is over");
            if (_busy) throw new RequestException(RequestStatus.AlreadyExists, "another bot is already publishing");
            _busy = true;
            return new Publication(feed, clock, Close);
        }
    }

    /// <inheritdoc/>
    public async Task<SubscriptionEnd> RunAsync(MatchRun run, CancellationToken cancellation)
    {
        // A bot that publishes faster than a game runs, e.g. from a file, is slowed down so that its recording is complete.
        var feed = new MatchFeed(run, recorder, clock) { WaitsForRecorder = true };
        _feed.TrySetResult(feed);
        try
        {
            return await _over.Task.WaitAsync(cancellation);
        }
        catch (OperationCanceledException)
        {
            return new SubscriptionEnd(SubscriptionEndReason.Stopping, "the daemon is shutting down");
        }
        finally
        {
            _over.TrySetCanceled(CancellationToken.None);
            feed.End();
        }
    }

    private void Close(Publication publication)
    {
        lock (_gate)
        {
            _busy = false;
            // If no match began on the connection, another bot may publish.
            if (!publication.HasBegun) return;
            if (publication.IsFinished) _over.TrySetResult(new(SubscriptionEndReason.MatchOver, "the bot has published all"));
            else _over.TrySetResult(new(SubscriptionEndReason.SourceLost, "the bot's connection broke"));
        }
    }
}
