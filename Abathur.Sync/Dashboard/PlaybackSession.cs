using System.Collections.Concurrent;
using Abathur.Mcap;
using Abathur.Recordings;
using Abathur.Sync.Access;
using Abathur.Sync.Hub;
using Abathur.Sync.Recording;
using Abathur.Sync.Sources.Playback;
using Abathur.Sync.Transports;
using Abathur.Sync.Transports.Http;
using Abathur.Sync.Transports.WebSocket;
using Microsoft.AspNetCore.Http;

namespace Abathur.Sync.Dashboard;

/// <summary>
/// A recording that plays for one WebSocket alone: with a source, a hub and an API of its own, so that neither the daemon's match nor its agents notice. It begins when
/// the connection subscribes, stays at its end, and is gone with the connection.
/// </summary>
internal static class PlaybackSession
{
    /// <summary>The page, and what compares encodings for it.</summary>
    private const int MaxSubscriptions = 2;

    /// <summary>Serves one connection whose request has been checked.</summary>
    /// <param name="file">The recording.</param>
    /// <param name="http">The request, answered here.</param>
    /// <param name="bounds">Bounds of its fan-out.</param>
    /// <param name="webSocket">Bounds of the connection.</param>
    /// <param name="access">Who may do what.</param>
    /// <param name="compared">While it plays, the sizes of its frames are asked for here, by the run's id.</param>
    /// <param name="clock">Clock of everything.</param>
    /// <param name="stopping">The daemon stops.</param>
    public static async Task ServeAsync(
        string file, HttpContext http, HubOptions bounds, WebSocketTransportOptions webSocket, AccessOptions access, ConcurrentDictionary<string, CompareEndpoint> compared, TimeProvider clock, CancellationToken stopping)
    {
        if (Open(file, out var problem) is not { } recording)
        {
            await HttpAnswer.TextAsync(http.Response, StatusCodes.Status422UnprocessableEntity, problem);
            return;
        }
        using (recording)
        {
            using var source = new PlaybackSource(recording, new PlaybackOptions { WaitForAgents = 1, StayAtEnd = true }, clock);
            var hub = new FrameHub(bounds with { MaxSubscriptions = MaxSubscriptions }, source.CanWait, clock);
            hub.Begin(source.Match);
            using var api = new SyncApi(source, hub, access with { Tokens = access.Tokens.WhereWatchersAct() }, clock);
            using var gone = CancellationTokenSource.CreateLinkedTokenSource(stopping);
            using var compare = new CompareEndpoint(hub, bounds, clock, gone.Token);
            compared[source.Match.RunId] = compare;
            // At unlimited rate it would take as many processors as there are playbacks.
            var playing = LowPriorityScheduler.Shared.RunAsync(() => PlayAsync(source, hub, gone.Token));
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

    /// <summary>Opens a recording; null with the reason where it is none.</summary>
    public static RecordingReader? Open(string file, out string problem)
    {
        problem = "";
        try
        {
            return RecordingReader.Open(file);
        }
        catch (Exception e) when (e is RecordingException or McapException or IOException or UnauthorizedAccessException or InvalidDataException)
        {
            problem = $"this is no recording that can be played: {RecordingAdvice.Describe(e)}";
            return null;
        }
    }

    private static async Task PlayAsync(PlaybackSource source, FrameHub hub, CancellationToken cancellation)
    {
        // Whatever ends it ends the one subscription, too: the reader is told why.
        await using var stopping = cancellation.Register(() => _ = hub.FinishAsync(new(SubscriptionEndReason.Stopping, "the playback stops")));
        SubscriptionEnd end;
        try
        {
            end = await source.RunAsync(hub, cancellation);
        }
        catch (Exception e) when (e is RecordingException or McapException or IOException)
        {
            end = new(SubscriptionEndReason.SourceLost, RecordingAdvice.Describe(e));
        }
        await hub.FinishAsync(end);
    }
}
