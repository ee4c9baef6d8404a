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
/// The daemon is the game's client: it starts or joins games, one after the other, publishes each observation, and sends agents' actions to
/// the game. A stepped game waits for lossless and lockstep readers; a game in real time does not wait.
/// </summary>
/// <param name="game">Connection to the game; the caller disposes it.</param>
/// <param name="games">The games to play or watch.</param>
/// <param name="recordings">Records the matches; null: they are not recorded. The caller disposes it.</param>
/// <param name="clock">Clock of all times.</param>
public sealed class LiveSource(
    GameClient game, IReadOnlyList<LiveOptions> games, MatchRecordings? recordings, TimeProvider clock) : IMatchSource
{
    /// <inheritdoc/>
    public MatchRecordings? Recordings { get; } = recordings;

    private static readonly TimeSpan LeaveTimeout = TimeSpan.FromSeconds(5);

    /// <inheritdoc/>
    public MatchAbilities Abilities { get; } = new() { Kind = SourceKind.Live, CanWait = !games[0].Realtime };

    /// <summary>Called when a match is over and its recording, if it has one, is complete.</summary>
    public MatchEndHandler? MatchEnded { get; init; }

    /// <inheritdoc/>
    public async Task<SubscriptionEnd> RunAsync(IMatchSink sink, CancellationToken cancellationToken)
    {
        for (var i = 0; ; i++)
        {
            var isLast = i == games.Count - 1;
            using var match = new LiveMatch(game, games[i], sink, Abilities, Recordings, MatchEnded, clock);
            SubscriptionEnd? end = null;
            try
            {
                end = await match.PlayAsync(isLast, cancellationToken);
            }
            finally
            {
                await LeaveAsync(games[i].QuitAfterwards && (isLast || end is not { Reason: SubscriptionEndReason.MatchOver }));
            }
            if (isLast || end.Reason != SubscriptionEndReason.MatchOver) return end;
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
