using Abathur.Sc2;
using Abathur.Sc2.Api;
using Abathur.Sync.Hub;
using Abathur.Sync.Matches;
using Abathur.Sync.Matches.Recording;
using Abathur.Sync.Sources.Feed;
using Abathur.Sync.V1;
using SC2APIProtocol;

namespace Abathur.Sync.Sources.Live;

/// <summary>
/// The daemon is the game's client: it starts or joins games, one after the other or each on request, publishes each observation, and sends
/// agents' actions to the game. A stepped game waits for lossless and lockstep readers; a game in real time does not wait.
/// </summary>
/// <param name="game">Connection to the game; the caller disposes it.</param>
/// <param name="games">The games to play or watch.</param>
/// <param name="recordings">Records the matches; null: they are not recorded. The caller disposes it.</param>
/// <param name="clock">Clock of all times.</param>
public sealed class LiveSource(
    GameClient game, LiveGames games, MatchRecordings? recordings, TimeProvider clock) : IMatchSource
{
    private readonly NextGameRequests? _requests = games.OnRequest ? new NextGameRequests() : null;

    /// <inheritdoc/>
    public MatchRecordings? Recordings { get; } = recordings;

    private static readonly TimeSpan LeaveTimeout = TimeSpan.FromSeconds(5);
    private static readonly SubscriptionEnd Stopping = new(SubscriptionEndReason.Stopping, "the daemon is shutting down");

    /// <inheritdoc/>
    public MatchAbilities Abilities => field ??= new()
    {
        Kind = SourceKind.Live,
        CanWait = !games.Common.Realtime,
        NextGame = _requests,
    };

    /// <summary>Called when a match is over and its recording, if it has one, is complete.</summary>
    public MatchEndHandler? MatchEnded { get; init; }

    /// <inheritdoc/>
    public async Task<SubscriptionEnd> RunAsync(IMatchSink sink, CancellationToken cancellationToken)
    {
        var end = Stopping;
        try
        {
            for (var i = 0L; ; i++)
            {
                var seed = _requests is null ? null : await _requests.TakeAsync(cancellationToken);
                var isLast = i == games.Count - 1;
                end = await PlayAsync(games.Of(i, seed), isLast, sink, cancellationToken);
                if (isLast || end.Reason != SubscriptionEndReason.MatchOver) return end;
            }
        }
        catch (OperationCanceledException) when (cancellationToken.IsCancellationRequested)
        {
            // No match runs.
            await LeaveAsync(games.Common.QuitAfterwards);
            return end = Stopping;
        }
        catch (Exception e)
        {
            end = new SubscriptionEnd(SubscriptionEndReason.SourceLost, e.Message);
            throw;
        }
        finally
        {
            _requests?.End(end);
        }
    }

    private async Task<SubscriptionEnd> PlayAsync(LiveOptions options, bool isLast, IMatchSink sink, CancellationToken cancellationToken)
    {
        using var match = new LiveMatch(game, options, sink, Abilities, Recordings, MatchEnded, clock);
        SubscriptionEnd? end = null;
        try
        {
            _requests?.Run(match);
            return end = await match.PlayAsync(isLast, cancellationToken);
        }
        finally
        {
            _requests?.Run(null);
            await LeaveAsync(options.QuitAfterwards && (isLast || end is not { Reason: SubscriptionEndReason.MatchOver }));
        }
    }

    private async Task LeaveAsync(bool quits)
    {
        using var timeout = new CancellationTokenSource(LeaveTimeout, clock);
        try
        {
            var request = quits ? new Request { Quit = new RequestQuit() } : new Request { LeaveGame = new RequestLeaveGame() };
            await game.SendAsync(request, timeout.Token);
        }
        catch (Exception e) when (e is GameException or OperationCanceledException)
        {
            // The game has already disconnected.
        }
    }
}
