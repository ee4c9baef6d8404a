using Abathur.Client;
using Abathur.Client.Nats.Wire;
using Abathur.Sync.Access;
using Abathur.Sync.Diagnostics;
using Abathur.Sync.Matches;
using Abathur.Sync.Transports;
using Microsoft.Extensions.Logging;

namespace Abathur.Sync.Relay;

/// <summary>Relays this process' matches, and starts a relay again when it fails: they do not depend on it. Matches that follow each other
/// have the same name on NATS; those that run at the same time have <c>NAME-2</c>, ...</summary>
/// <param name="address">The servers of NATS, and the login.</param>
/// <param name="name">Name of the matches on NATS; null: the id of each.</param>
/// <param name="api">The requests of this daemon.</param>
/// <param name="level">What the readers of the relay may do.</param>
/// <param name="clock">Clock of all times.</param>
internal sealed class RelaySupervisor(NatsAddress address, string? name, SyncApi api, AccessLevel level, TimeProvider clock)
{
    /// <summary>How long a relay may take to finish after the match.</summary>
    public static readonly TimeSpan FinishTimeout = TimeSpan.FromSeconds(5);
    private static readonly TimeSpan FirstDelay = TimeSpan.FromMilliseconds(500), LongestDelay = TimeSpan.FromSeconds(10);

    /// <summary>After a relay has run this long, the delay starts again from its minimum.</summary>
    private static readonly TimeSpan WellAfter = TimeSpan.FromSeconds(30);

    /// <summary>How often a relay that fails is started again after its match is over; and former matches that are named.</summary>
    private const int TriesAfterEnd = 10, MaxFormer = 20;

    private readonly NatsAddress _address = address;
    private readonly SyncApi _api = api;
    private readonly AccessLevel _level = level;
    private readonly TimeProvider _clock = clock;
    private readonly ILogger _log = ProgramLog.OfAgent("relay");
    private readonly Dictionary<string, Lane> _lanes = [];

    /// <summary>Runs it until all matches are relayed.</summary>
    /// <param name="noMore">Fires when no match begins any more.</param>
    /// <param name="over">Ends it.</param>
    public async Task RunAsync(CancellationToken noMore, CancellationToken over)
    {
        try
        {
            await foreach (var run in _api.ViewOf(_level).BegunAsync(noMore)) FreeLane(run).Relay(run, over);
        }
        catch (OperationCanceledException) when (noMore.IsCancellationRequested)
        {
            await Task.WhenAll(_lanes.Values.Select(lane => lane.FinishAsync(over)));
        }
    }

    /// <summary>The first name whose match is over.</summary>
    private Lane FreeLane(MatchRun run)
    {
        var wanted = name ?? RelayServers.NameOf(run.Match!.MatchId);
        for (var number = 1; ; number++)
        {
            var suffix = number == 1 ? "" : $"-{number}";
            var numbered = wanted[..Math.Min(wanted.Length, MatchName.MaxLength - suffix.Length)] + suffix;
            if (!_lanes.TryGetValue(numbered, out var lane)) return _lanes[numbered] = new Lane(this, numbered);
            if (lane.Run is { End: not null }) return lane;
        }
    }

    /// <summary>The matches of a name, one after the other.</summary>
    private sealed class Lane(RelaySupervisor all, string match)
    {
        private readonly List<FormerRun> _former = [];
        private Task _relaying = Task.CompletedTask;

        /// <summary>The newest match.</summary>
        public MatchRun? Run { get; private set; }

        /// <summary>Relays a match behind the others.</summary>
        public void Relay(MatchRun run, CancellationToken over)
        {
            Run = run;
            _relaying = RelayAsync(_relaying, run, over);
        }

        /// <summary>Waits until all have been relayed, and tells readers who follow that the daemon ends.</summary>
        public async Task FinishAsync(CancellationToken over)
        {
            await _relaying;
            try
            {
                await using var servers = await RelayServers.ConnectAsync(all._address, over);
                var stream = new MatchStream(servers, match);
                var (position, last) = await stream.NewestAsync(Run!.RunId, ulong.MaxValue, over);
                if (last is null or { End: "" or MatchRelay.Stopped }) return;
                var end = last with { Position = position + 1, End = MatchRelay.Stopped };
                await stream.AppendEndAsync(end, "the daemon has ended", all._clock, over);
            }
            catch (Exception e) when (e is NatsProblemException or ServersLostException or RelayException or OperationCanceledException)
            {
                // The frames are stored, which matters more.
            }
        }

        private async Task RelayAsync(Task before, MatchRun run, CancellationToken over)
        {
            await before;
            var (delay, left) = (FirstDelay, TriesAfterEnd);
            while (!over.IsCancellationRequested && left > 0)
            {
                var started = all._clock.GetTimestamp();
                try
                {
                    await RelayOnceAsync(run, over);
                    return;
                }
                catch (OperationCanceledException) when (over.IsCancellationRequested)
                {
                    return;
                }
                catch (Exception e)
                {
                    if (all._clock.GetElapsedTime(started) >= WellAfter) delay = FirstDelay;
                    if (run.End is not null) left--;
                    var reason = e is NatsProblemException ? e.Message : $"{e.GetType().Name}: {e.Message}";
                    LogMessages.RelayRestarts(all._log, reason, delay.TotalSeconds);
                }
                await Task.Delay(delay, all._clock, over).ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
                delay = TimeSpan.FromTicks(Math.Min(delay.Ticks * 2, LongestDelay.Ticks));
            }
        }

        private async Task RelayOnceAsync(MatchRun run, CancellationToken over)
        {
            await using var servers = await RelayServers.ConnectAsync(all._address, over);
            var daemon = new LocalDaemon(all._api, all._level, $"{all._address}", run.Match!);
            var relay = new MatchRelay(
                servers, daemon, match, new RelayOptions(), line => LogMessages.AgentOutput(all._log, line), all._clock)
            {
                Former = [.. _former],
            };
            if (await relay.RunAsync(over) is { } problem) LogMessages.RelayEnded(all._log, problem);
            if (relay.Run is not { } former) return;
            if (_former.Count == MaxFormer) _former.RemoveAt(0);
            _former.Add(former);
        }
    }
}
