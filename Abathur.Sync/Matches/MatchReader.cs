using Abathur.Sync.Frames;
using Abathur.Sync.Hub;
using Abathur.Sync.V1;

namespace Abathur.Sync.Matches;

/// <summary>
/// A client that reads a match or, if it follows, one match after the other. It has a subscription to the match that it reads and, where
/// that is over, one to the next, so that it misses none of its frames.
/// </summary>
public sealed class MatchReader : IDisposable
{
    private static readonly SubscriptionEnd TooFarBehind = new(
        SubscriptionEndReason.SlowConsumer,
        "a match began before the one before the last was read: read faster, or with policy latest");

    private readonly Lock _gate = new();
    private (Subscription Subscription, MatchRun Run)? _next;
    private MatchRun? _afterNext;
    private DroppedFrames _missed;
    private SubscriptionEnd? _end;
    private Action? _abort;
    private CancellationTokenRegistration _aborting;

    internal MatchReader(Subscription subscription, MatchRun run) => (Subscription, Run) = (subscription, run);

    /// <summary>The match that it reads.</summary>
    public MatchRun Run { get; private set; }

    /// <summary>Its subscription to that match.</summary>
    public Subscription Subscription { get; private set; }

    /// <summary>The number of that match among those that it has read, from 0.</summary>
    public uint MatchIndex { get; private set; }

    /// <summary>Called when it is disposed.</summary>
    internal Action<MatchReader>? Gone { get; init; }

    /// <summary>The last match that it reads or has been added to it.</summary>
    internal MatchRun Last
    {
        get
        {
            lock (_gate) return _afterNext ?? _next?.Run ?? Run;
        }
    }

    /// <summary>Adds the match that comes next. Called before that begins, when the last one ends.</summary>
    internal void Add(MatchRun next)
    {
        lock (_gate)
        {
            if (_end is not null || Subscription.End is { IsOfMatch: false }) return;
            // One subscription waits at most: the next but one comes when the reader goes on, or gives notice when it begins.
            if (_next is null) Subscribe(next);
            else _afterNext = next;
        }
    }

    /// <summary>A match begins: if the whole one before it waits still, the reader is too far behind. Called before its first
    /// frame.</summary>
    internal void Begin(MatchRun match)
    {
        lock (_gate)
        {
            if (_afterNext != match || _next is not { } waiting) return;
            (_afterNext, _next) = (null, null);
            waiting.Subscription.Dispose();
            if (Subscription.Options.Policy == Policy.Latest)
            {
                _missed = _missed.Then(waiting.Run.Hub.AllFrames);
                Subscribe(match);
            }
            else
            {
                _end ??= TooFarBehind;
            }
        }
    }

    /// <summary>Why it ends when it has read its match; null: as that.</summary>
    public SubscriptionEnd? End
    {
        get
        {
            lock (_gate) return _end;
        }
    }

    /// <summary>Goes on with the next match. False if no match follows.</summary>
    public bool TryGoOn()
    {
        Subscription former;
        lock (_gate)
        {
            if (_next is not { } next) return false;
            former = Subscription;
            former.HandOver(next.Subscription);
            (Subscription, Run, _next, _missed) = (next.Subscription, next.Run, null, default);
            MatchIndex++;
            if (_end is not null) Subscription.Finish(_end);
            else if (_afterNext is { } after) Subscribe(after);
            _afterNext = null;
            _aborting.Unregister();
            Listen();
        }
        former.Dispose();
        return true;
    }

    /// <summary>Acknowledges all frames up to this one.</summary>
    /// <param name="ack">Names the frame, and its match.</param>
    public void Acknowledge(Ack ack)
    {
        lock (_gate)
        {
            if (ack.MatchIndex == MatchIndex) Subscription.Acknowledge(ack.Sequence);
        }
    }

    /// <summary>Makes it write what is pending.</summary>
    public void Wake()
    {
        lock (_gate) Subscription.Wake();
    }

    /// <summary>Ends it from the client's side.</summary>
    public void Close() => Finish(SubscriptionEnd.ByReader);

    /// <summary>Ends it, whatever it reads.</summary>
    internal void Finish(SubscriptionEnd end)
    {
        lock (_gate)
        {
            _end ??= end;
            Subscription.Finish(end);
        }
    }

    /// <summary>Calls an action when the connection must be broken, because its client does not even read the end.</summary>
    /// <returns>Disposed, it is not called any more.</returns>
    public IDisposable OnAborted(Action abort)
    {
        lock (_gate)
        {
            _abort = abort;
            Listen();
        }
        return new Listening(this);
    }

    /// <summary>Leaves its matches.</summary>
    public void Dispose()
    {
        Gone?.Invoke(this);
        lock (_gate)
        {
            _end ??= SubscriptionEnd.ByReader;
            _next?.Subscription.Dispose();
            _next = null;
        }
        Subscription.Dispose();
    }

    private void Subscribe(MatchRun next) => _next = (next.Hub.SubscribeNext(Subscription, _missed), next);

    private void Listen() => _aborting = _abort is null ? default : Subscription.Aborted.Register(_abort);

    private sealed class Listening(MatchReader reader) : IDisposable
    {
        public void Dispose()
        {
            CancellationTokenRegistration aborting;
            lock (reader._gate) (aborting, reader._abort, reader._aborting) = (reader._aborting, null, default);
            aborting.Dispose();
        }
    }
}
