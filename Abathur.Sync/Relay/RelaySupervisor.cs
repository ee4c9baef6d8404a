using Abathur.Client.Nats.Wire;
using Abathur.Sync.Diagnostics;
using Microsoft.Extensions.Logging;

namespace Abathur.Sync.Relay;

/// <summary>Runs the relay of this process' matches, one after the other, and starts it again when it fails: they do not depend on
/// it.</summary>
/// <param name="address">The servers of NATS, and the login.</param>
/// <param name="name">Name of the match on NATS; null: its id.</param>
/// <param name="daemon">This daemon.</param>
/// <param name="clock">Clock of all times.</param>
internal sealed class RelaySupervisor(NatsAddress address, string? name, LocalDaemon daemon, TimeProvider clock)
{
    /// <summary>How long a relay may take to finish after the match.</summary>
    public static readonly TimeSpan FinishTimeout = TimeSpan.FromSeconds(5);
    private static readonly TimeSpan FirstDelay = TimeSpan.FromMilliseconds(500), LongestDelay = TimeSpan.FromSeconds(10);

    /// <summary>After a relay has run this long, the delay starts again from its minimum.</summary>
    private static readonly TimeSpan WellAfter = TimeSpan.FromSeconds(30);
    private readonly ILogger _log = ProgramLog.OfAgent("relay");

    /// <summary>Runs it until the last match is over.</summary>
    /// <param name="over">Ends it.</param>
    public async Task RunAsync(CancellationToken over)
    {
        var delay = FirstDelay;
        while (!over.IsCancellationRequested)
        {
            var started = clock.GetTimestamp();
            try
            {
                var match = daemon.Current;
                await using var servers = await RelayServers.ConnectAsync(address, over);
                var relay = new MatchRelay(
                    servers, daemon, name, new RelayOptions(), line => LogMessages.AgentOutput(_log, line), clock);
                if (await relay.RunAsync(over) is { } problem) LogMessages.RelayEnded(_log, problem);
                await daemon.WaitForEndAsync(match, over);
                continue;
            }
            catch (OperationCanceledException) when (over.IsCancellationRequested)
            {
                return;
            }
            catch (Exception e)
            {
                if (clock.GetElapsedTime(started) >= WellAfter) delay = FirstDelay;
                var reason = e is NatsProblemException ? e.Message : $"{e.GetType().Name}: {e.Message}";
                LogMessages.RelayRestarts(_log, reason, delay.TotalSeconds);
            }
            await Task.Delay(delay, clock, over).ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
            delay = TimeSpan.FromTicks(Math.Min(delay.Ticks * 2, LongestDelay.Ticks));
        }
    }
}
