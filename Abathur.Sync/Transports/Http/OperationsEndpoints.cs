using System.Buffers;
using Abathur.Protobuf;
using Abathur.Sync.Access;
using Abathur.Sync.Diagnostics.Metrics;
using Abathur.Sync.V1;
using Google.Protobuf;
using Microsoft.AspNetCore.Http;

namespace Abathur.Sync.Transports.Http;

/// <summary>What whoever runs the daemon asks: is it well, what is it doing.</summary>
/// <param name="api">What there is to know.</param>
/// <param name="metrics">The numbers.</param>
/// <param name="isReady">Whether agents may come: the ports are open, and it does not stop.</param>
internal sealed class OperationsEndpoints(SyncApi api, PrometheusText metrics, Func<bool> isReady)
{
    /// <summary>Path of the status.</summary>
    public const string StatusPath = "/v1/status";

    private static readonly ProtoJsonTranscoder StatusToJson = ProtoJsonTranscoder.For(Status.Descriptor);

    /// <summary>Adds the paths.</summary>
    public void AddTo(HttpRoutes routes)
    {
        // The process answers: no more is asked of it. Neither says anything of the match.
        routes.Add("/healthz", http => HttpAnswer.GetTextAsync(http, () => (StatusCodes.Status200OK, "ok")));
        routes.Add("/readyz", http => HttpAnswer.GetTextAsync(http, () => isReady() ? (StatusCodes.Status200OK, "ready") : (StatusCodes.Status503ServiceUnavailable, "the daemon stops")));
        routes.Add("/metrics", http => HttpAnswer.GetAsync(http, PrometheusText.ContentType, metrics.Write), AccessLevel.Watch);
        routes.Add(StatusPath, http => HttpAnswer.GetJsonAsync(http, DescribeStatus), AccessLevel.Watch);
    }

    private ReadOnlyMemory<byte> DescribeStatus()
    {
        var json = new ArrayBufferWriter<byte>();
        StatusToJson.ToJson(api.GetStatus(AccessLevel.Watch).ToByteArray(), json);
        json.Write("\n"u8);
        return json.WrittenMemory;
    }
}
