using System.Buffers;
using Abathur.Protobuf;
using Abathur.Sync.Access;
using Abathur.Sync.Diagnostics.Metrics;
using Google.Protobuf;
using Microsoft.AspNetCore.Http;

namespace Abathur.Sync.Transports.Http;

/// <summary>Endpoints for operators: health, status and metrics.</summary>
/// <param name="api">The API of the daemon.</param>
/// <param name="metrics">The metrics.</param>
/// <param name="isReady">Whether agents can connect: the ports are open, and the daemon is not shutting down.</param>
internal sealed class OperationsEndpoints(SyncApi api, PrometheusText metrics, Func<bool> isReady)
{
    /// <summary>Path of the matches.</summary>
    public const string MatchesPath = "/v1/matches";

    /// <summary>Path of the status.</summary>
    public const string StatusPath = "/v1/status";

    /// <summary>Path of the timeline.</summary>
    public const string TimelinePath = "/v1/timeline";

    /// <summary>Path of the series of agents.</summary>
    public const string PlotsPath = "/v1/plots";

    private const string NoMetrics = "metrics count the match as it is now: with --delay, they need the token for acting";

    /// <summary>Adds the paths.</summary>
    public void AddTo(HttpRoutes routes)
    {
        // Health only means that the process answers. Both paths reveal nothing about the match.
        routes.Add("/healthz", http => HttpAnswer.GetTextAsync(http, () => (StatusCodes.Status200OK, "ok")));
        routes.Add(
            "/readyz",
            http => HttpAnswer.GetTextAsync(
                http,
                () => isReady()
                    ? (StatusCodes.Status200OK, "ready")
                    : (StatusCodes.Status503ServiceUnavailable, "the daemon is shutting down")));
        routes.Add(
            "/metrics",
            http => api.ViewOf(LevelOf(http)).IsDelayed
                ? HttpAnswer.TextAsync(http.Response, StatusCodes.Status403Forbidden, NoMetrics)
                : HttpAnswer.GetAsync(http, PrometheusText.ContentType, metrics.Write),
            AccessLevel.Watch);
        AddMessage(MatchesPath, (_, level) => ValueTask.FromResult(api.GetMatches(level)));
        AddMessage(StatusPath, (http, level) => ValueTask.FromResult(api.GetStatus(level, RunIdOf(http))));
        AddMessage(
            TimelinePath,
            (http, level) => api.GetTimelineAsync(new() { Whole = IsWhole(http), RunId = RunIdOf(http) }, level, http.RequestAborted));
        AddMessage(
            PlotsPath,
            (http, level) => api.GetPlotsAsync(new() { Whole = IsWhole(http), RunId = RunIdOf(http) }, level, http.RequestAborted));

        void AddMessage<T>(string path, Func<HttpContext, AccessLevel, ValueTask<T>> message) where T : IMessage => routes.Add(
            path,
            http => HttpAnswer.GetJsonAsync(
                http,
                async () =>
                {
                    var level = LevelOf(http);
                    return WithRoom(http, level, ToJson(await message(http, level)));
                }),
            AccessLevel.Watch);
    }

    /// <summary>An answer for which there is room until the request is over.</summary>
    private ReadOnlyMemory<byte> WithRoom(HttpContext http, AccessLevel level, ReadOnlyMemory<byte> answer)
    {
        if (api.Answers.Take(level, answer.Length, http.Abort) is { } room) http.Response.RegisterForDispose(room);
        return answer;
    }

    /// <summary>With <c>?whole=1</c>, the whole of a recording that is played.</summary>
    private static bool IsWhole(HttpContext http) => http.Request.Query["whole"] is ["1"];

    /// <summary>With <c>?run=RUN_ID</c>, that match; empty: the one that runs, else the next.</summary>
    private static string RunIdOf(HttpContext http) => http.Request.Query["run"] is [{ } run] ? run : "";

    private AccessLevel LevelOf(HttpContext http) => api.LevelOf(WebSocketToken.Of(http));

    private static ReadOnlyMemory<byte> ToJson(IMessage message)
    {
        var json = new ArrayBufferWriter<byte>();
        ProtoJsonTranscoder.For(message.Descriptor).ToJson(message.ToByteArray(), json);
        json.Write("\n"u8);
        return json.WrittenMemory;
    }
}
