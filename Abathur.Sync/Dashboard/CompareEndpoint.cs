using System.Buffers;
using System.Text.Json;
using Abathur.Sync.Frames;
using Abathur.Sync.Hub;
using Abathur.Sync.Matches;
using Abathur.Sync.Transports.Http;
using Abathur.Sync.V1;
using Microsoft.AspNetCore.Http;

namespace Abathur.Sync.Dashboard;

/// <summary>
/// <c>GET /v1/compare</c>: the size of the newest frame in every encoding and compression, alone and within a stream. It answers one
/// request at a time and at most two a second, on a thread of the pool, so that neither the source nor a subscriber waits for it. There is
/// one endpoint for the daemon's match, and one for each recording that plays for a single page.
/// </summary>
internal sealed class CompareEndpoint(MatchView view, HubOptions options, TimeProvider clock, CancellationToken stopping) : IDisposable
{
    public const string Path = "/v1/compare";

    /// <summary>Parameter that names a playback of <see cref="RecordingsEndpoint"/> by its run; without it, the sizes are those of the
    /// daemon's match.</summary>
    public const string Run = "run";

    private static readonly TimeSpan Interval = TimeSpan.FromMilliseconds(500);
    private static readonly TimeSpan IdleTimeout = TimeSpan.FromSeconds(5);
    private int _busy;
    private long? _last;
    private ComparedStreams? _streams;

    public async Task HandleAsync(HttpContext http)
    {
        var (request, response) = (http.Request, http.Response);
        if (!HttpMethods.IsGet(request.Method))
        {
            await HttpAnswer.NotAllowedAsync(response, HttpMethods.Get, HttpAnswer.ReadOnly);
            return;
        }
        if (Interlocked.Exchange(ref _busy, 1) == 1)
        {
            await TooManyAsync(response);
            return;
        }
        try
        {
            await AnswerAsync(http);
        }
        finally
        {
            Volatile.Write(ref _busy, 0);
        }
    }

    public void Dispose() => _streams?.Dispose();

    private async Task AnswerAsync(HttpContext http)
    {
        if (_last is { } last && clock.GetElapsedTime(last) < Interval)
        {
            await TooManyAsync(http.Response);
            return;
        }
        _last = clock.GetTimestamp();
        if (view.Current.Hub.RetainNewest() is not { } frame)
        {
            await HttpAnswer.TextAsync(http.Response, StatusCodes.Status503ServiceUnavailable, "there is no frame yet");
            return;
        }
        byte[] json;
        try
        {
            var streams = LookAtStreams();
            json = await Task.Run(() => Measure(frame, streams), http.RequestAborted);
        }
        finally
        {
            frame.Release();
        }
        await HttpAnswer.JsonAsync(http.Response, json, http.RequestAborted);
    }

    private ComparedStreams? LookAtStreams()
    {
        if (_streams is { Running.IsCompleted: false } running)
        {
            running.Touch();
            return running;
        }
        if (stopping.IsCancellationRequested) return null;
        var subscription = view.Current.Subscribe(new SubscriptionOptions
        {
            Policy = Policy.Latest,
            Encoding = Encoding.Proto,
            BufferFrames = 1,
            BeginsWithNewest = true,
            Name = "encodings compared",
            Transport = "none",
            Peer = "",
        });
        return _streams = subscription is null
            ? null
            : new ComparedStreams(subscription, options.KeyframeIntervalFrames, IdleTimeout, clock);
    }

    private static byte[] Measure(SharedFrame frame, ComparedStreams? streams)
    {
        var json = new ArrayBufferWriter<byte>();
        using (var writer = new Utf8JsonWriter(json))
        {
            writer.WriteStartObject();
            writer.WriteNumber("gameLoop", frame.GameLoop);
            writer.WriteNumber("sequence", frame.Sequence);
            writer.WriteNumber("streamFrames", streams?.Frames ?? 0);
            writer.WriteStartArray("formats");
            foreach (var format in ComparedFormat.All)
                Write(writer, format, frame, streams?.Formats.FirstOrDefault(each => each.Format == format)?.MeanBytes);
            writer.WriteEndArray();
            writer.WriteEndObject();
        }
        return json.WrittenSpan.ToArray();
    }

    private static void Write(Utf8JsonWriter writer, PayloadFormat format, SharedFrame frame, double? mean)
    {
        writer.WriteStartObject();
        var names = format.ToString().Split('+');
        writer.WriteString("encoding", names[0]);
        writer.WriteString("compression", names.Length > 1 ? names[1] : "none");
        try
        {
            writer.WriteNumber("alone", ComparedFormat.MeasureAlone(format, frame.Observation.Span));
        }
        catch (InvalidDataException)
        {
            writer.WriteString("problem", "cannot carry this frame");
        }
        if (mean is { } bytes) writer.WriteNumber("mean", Math.Round(bytes, 1));
        writer.WriteEndObject();
    }

    private static Task TooManyAsync(HttpResponse response)
    {
        response.Headers.RetryAfter = "1";
        return HttpAnswer.TextAsync(response, StatusCodes.Status429TooManyRequests, "at most two answers a second, one at a time");
    }
}
