using System.Collections.Concurrent;
using Abathur.Mcap;
using Abathur.Recordings;
using Abathur.Sync.Access;
using Abathur.Sync.Hub;
using Abathur.Sync.Hub.Scheduling;
using Abathur.Sync.Matches;
using Abathur.Sync.Matches.Recording;
using Abathur.Sync.Sources.Playback;
using Abathur.Sync.Transports;
using Abathur.Sync.Transports.Http;
using Abathur.Sync.Transports.WebSocket;
using Microsoft.AspNetCore.Http;

namespace Abathur.Sync.Dashboard;

/// <summary>
/// A recording that plays for a single WebSocket, with a source, a match and an API of its own: the daemon's match and its agents are not
/// affected.
/// It begins when the connection subscribes, pauses at its end, and ends with the connection.
/// </summary>
internal static class PlaybackSession
{
    /// <summary>The page, and the comparison of encodings for it.</summary>
    private const int MaxSubscriptions = 2;

    /// <summary>Serves one connection whose request has been checked.</summary>
    /// <param name="file">The recording.</param>
    /// <param name="http">The request, answered here.</param>
    /// <param name="bounds">Limits of its fan-out.</param>
    /// <param name="webSocket">Limits of the connection.</param>
    /// <param name="access">The access rules.</param>
    /// <param name="compared">The comparisons of running playbacks, by the run's id.</param>
    /// <param name="clock">Clock of all times.</param>
    /// <param name="stopping">Fires when the daemon shuts down.</param>
    public static async Task ServeAsync(
        string file, HttpContext http, HubOptions bounds, WebSocketTransportOptions webSocket, AccessOptions access,
        ConcurrentDictionary<string, CompareEndpoint> compared, TimeProvider clock, CancellationToken stopping)
    {
        // Reading ends with the connection, whatever the file makes of it.
        using var gone = CancellationTokenSource.CreateLinkedTokenSource(stopping, http.RequestAborted);
        if (Open(file, gone.Token, out var problem) is not { } recording)
        {
            if (!gone.IsCancellationRequested)
                await HttpAnswer.TextAsync(http.Response, StatusCodes.Status422UnprocessableEntity, problem);
            return;
        }
        using (recording)
        {
            var age = RecordingAge.For(http, access, clock);
            // Again: it may have been written to before it was opened. What is written later is not read.
            if (!age.Allows(file))
            {
                await HttpAnswer.TextAsync(http.Response, StatusCodes.Status404NotFound, age.NotFound);
                return;
            }
            using var source = new PlaybackSource(recording, new PlaybackOptions { WaitForAgents = 1, StayAtEnd = true }, clock);
            var limits = bounds with { MaxSubscriptions = MaxSubscriptions, HistoryBytes = 0 };
            using var view = new MatchView(new HubShare(limits, clock), source.Abilities) { HidesLoad = age.IsDelayed };
            var run = view.Begin(source.Match);
            var api = new SyncApi(view, view, access with { Tokens = access.Tokens.WhereWatchersAct() }, clock);
            using var compare = new CompareEndpoint(view, bounds, clock, gone.Token);
            compared[source.Match.RunId] = compare;
            // At an unlimited rate each playback would use a whole processor.
            var playing = LowPriorityScheduler.Playbacks.RunAsync(() => PlayAsync(source, run, gone.Token));
            try
            {
                await new WebSocketHandler(api, webSocket, clock).HandleAsync(http, stopping);
            }
            finally
            {
                compared.TryRemove(source.Match.RunId, out _);
                await gone.CancelAsync();
                await playing;
            }
        }
    }

    /// <summary>Opens a recording; null with the reason if it is invalid, or opening was cancelled. Reading it can be cancelled,
    /// too.</summary>
    public static RecordingReader? Open(string file, CancellationToken cancellationToken, out string problem)
    {
        problem = "";
        try
        {
            return RecordingReader.Open(file, cancellationToken: cancellationToken);
        }
        catch (Exception e) when (e is RecordingException
            or McapException
            or IOException
            or UnauthorizedAccessException
            or InvalidDataException)
        {
            problem = $"this recording cannot be played: {RecordingAdvice.Describe(e)}";
            return null;
        }
        catch (OperationCanceledException)
        {
            problem = "opening it was cancelled";
            return null;
        }
    }

    private static async Task PlayAsync(PlaybackSource source, MatchRun run, CancellationToken cancellationToken)
    {
        // Cancellation also ends the subscription, with the reason.
        await using var stopping = cancellationToken.Register(
            () => _ = run.FinishAsync(new(SubscriptionEndReason.Stopping, "the playback is stopping")));
        SubscriptionEnd end;
        try
        {
            end = await source.RunAsync(new OneMatch(run), cancellationToken);
        }
        catch (Exception e) when (e is RecordingException or McapException or IOException)
        {
            end = new(SubscriptionEndReason.SourceLost, RecordingAdvice.Describe(e));
        }
        catch (OperationCanceledException)
        {
            end = new(SubscriptionEndReason.Stopping, "the playback is stopping");
        }
        await run.FinishAsync(end);
    }
}
