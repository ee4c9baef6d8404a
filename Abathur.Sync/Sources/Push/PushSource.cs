using Abathur.Sync.Hub;
using Abathur.Sync.Matches;
using Abathur.Sync.Matches.Recording;
using Abathur.Sync.Requests;
using Abathur.Sync.Sources.Feed;
using Abathur.Sync.V1;

namespace Abathur.Sync.Sources.Push;

/// <summary>Bots, in any language, publish their own observations. One bot at a time, each a match.</summary>
public sealed class PushSource : IMatchSource
{
    private static readonly SubscriptionEnd Stopped = new(SubscriptionEndReason.Stopping, "the daemon is shutting down");

    private readonly TaskCompletionSource<IMatchSink> _sink = new(TaskCreationOptions.RunContinuationsAsynchronously);
    private readonly TaskCompletionSource<SubscriptionEnd> _over = new(TaskCreationOptions.RunContinuationsAsynchronously);
    private readonly Lock _gate = new();
    private readonly TimeProvider _clock;
    private MatchFeed? _feed;
    private volatile bool _busy;

    /// <param name="recordings">Records the matches; null: they are not recorded. The caller disposes it.</param>
    /// <param name="clock">Clock of the stamps.</param>
    public PushSource(MatchRecordings? recordings, TimeProvider clock)
    {
        (Recordings, _clock) = (recordings, clock);
        Abilities = new MatchAbilities { Kind = SourceKind.Push, Describe = status => status.Waiting = Waiting };
    }

    /// <inheritdoc/>
    public MatchAbilities Abilities { get; }

    /// <inheritdoc/>
    public MatchRecordings? Recordings { get; }

    /// <summary>Whether it ends with its first match.</summary>
    public bool Once { get; init; }

    /// <summary>Called when a match is over and its recording, if it has one, is complete.</summary>
    public MatchEndHandler? MatchEnded { get; init; }

    /// <summary>Opens a publication. The caller disposes it when the bot has disconnected.</summary>
    /// <exception cref="RefusedException">Another bot publishes (ALREADY_EXISTS) or has published (FAILED_PRECONDITION).</exception>
    public async Task<Publication> OpenAsync(CancellationToken cancellationToken)
    {
        // The ports are open shortly before the source runs.
        var sink = await _sink.Task.WaitAsync(cancellationToken);
        lock (_gate)
        {
            if (_over.Task.IsCompleted) throw new RefusedException(RequestStatus.FailedPrecondition, "the match is over");
            if (_busy) throw new RefusedException(RequestStatus.AlreadyExists, "another bot is already publishing");
            _busy = true;
            return new Publication(_feed!, _clock, publication => Close(publication, sink)) { IsFollowed = !Once };
        }
    }

    /// <inheritdoc/>
    public async Task<SubscriptionEnd> RunAsync(IMatchSink sink, CancellationToken cancellationToken)
    {
        lock (_gate) _feed = NewFeed(sink);
        _sink.TrySetResult(sink);
        try
        {
            return await _over.Task.WaitAsync(cancellationToken);
        }
        catch (OperationCanceledException)
        {
            return Stopped;
        }
        finally
        {
            // A bot that publishes still ends its match when it is disconnected.
            lock (_gate) if (_over.TrySetResult(Stopped) && !_busy) _feed!.End(Stopped, isLast: true);
        }
    }

    /// <summary>A bot that publishes faster than a game runs, e.g. from a file, is slowed down so that its recording is complete.</summary>
    private MatchFeed NewFeed(IMatchSink sink) => new(sink, Recordings, _clock)
    {
        WaitsForRecorder = true,
        Abilities = new MatchAbilities { Kind = SourceKind.Push },
        Ended = (end, recorder) => MatchEnded?.Invoke(end, null, recorder),
    };

    private WaitStatus Waiting => new() { Missing = _busy ? Missing.Frames : Missing.Bot };

    private void Close(Publication publication, IMatchSink sink)
    {
        lock (_gate)
        {
            // If no match began on the connection, another bot may publish it.
            if (publication.HasBegun)
            {
                var end = _over.Task.IsCompleted ? Stopped
                    : publication.IsFinished ? new(SubscriptionEndReason.MatchOver, "the bot has published all")
                    : new(SubscriptionEndReason.SourceLost, "the bot's connection broke");
                var isLast = Once || _over.Task.IsCompleted;
                _feed!.End(end, isLast);
                if (isLast) _over.TrySetResult(end);
                else _feed = NewFeed(sink);
            }
            _busy = false;
        }
    }
}
