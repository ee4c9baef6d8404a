using Abathur.Sync.Matches.Recording;
using System.Buffers;
using System.Collections.Concurrent;
using System.Text.Json;
using Abathur.Sync.Access;
using Abathur.Sync.Hub;
using Abathur.Sync.Transports.Http;
using Abathur.Sync.Transports.WebSocket;
using Microsoft.AspNetCore.Http;

namespace Abathur.Sync.Dashboard;

/// <summary>
/// <c>/v1/recordings</c> lists the folder, <c>PUT /v1/recordings/NAME</c> adds a file, and <c>/v1/recordings/NAME/sync</c> is a WebSocket
/// that plays one for this connection only (<see cref="PlaybackSession"/>).
/// </summary>
internal sealed class RecordingsEndpoint
{
    public const string Path = "/v1/recordings";
    public const string Prefix = Path + "/";
    private const string SyncSuffix = "/sync";
    private const string NoFolder = "this daemon has no folder of recordings: start it with --recordings DIR";

    private readonly RecordingFolder? _folder;
    private readonly RecordingUpload? _upload;
    private readonly RecordingsOptions _options;
    private readonly Func<string, WebSocketEndpoint> _endpointOf;
    private readonly TimeProvider _clock;
    private readonly WebSocketTransportOptions _webSocket;
    private readonly HubOptions _hub;
    private readonly AccessOptions _access;
    private readonly ConcurrentDictionary<string, CompareEndpoint> _compared = [];
    private int _playbacks;

    /// <param name="options">The folder and the limits.</param>
    /// <param name="hub">Limits of each playback's fan-out.</param>
    /// <param name="webSocket">Limits of each connection.</param>
    /// <param name="access">The access rules.</param>
    /// <param name="clock">Clock of all times.</param>
    /// <param name="stopping">Fires when the daemon shuts down.</param>
    public RecordingsEndpoint(
        RecordingsOptions options, HubOptions hub, WebSocketTransportOptions webSocket, AccessOptions access, TimeProvider clock,
        CancellationToken stopping)
    {
        _options = options;
        _access = access;
        _hub = hub;
        _webSocket = webSocket;
        _clock = clock;
        if (options.Folder is not null)
        {
            _folder = new RecordingFolder(options.Folder);
            _upload = new RecordingUpload(_folder, options, clock);
            _upload.RemoveAbandoned();
        }
        _endpointOf = file =>
            new WebSocketEndpoint($"{Prefix}NAME{SyncSuffix}", "readers", (http, token) => PlayAsync(file, http, token), stopping);
    }

    /// <summary>Answers for <see cref="Path"/>.</summary>
    public Task ListAsync(HttpContext http)
    {
        var (request, response) = (http.Request, http.Response);
        if (!HttpMethods.IsGet(request.Method))
            return HttpAnswer.NotAllowedAsync(response, "GET", "recordings are listed with GET, and added with PUT " + Prefix + "NAME");
        var json = new ArrayBufferWriter<byte>();
        using (var writer = new Utf8JsonWriter(json))
        {
            writer.WriteStartObject();
            writer.WriteStartArray("recordings");
            var age = RecordingAge.For(http, _access, _clock);
            var others = 0;
            foreach (var file in _folder?.List(out others) ?? [])
            {
                if (!age.Allows(file.FullName)) continue;
                writer.WriteStartObject();
                writer.WriteString("name", file.Name);
                writer.WriteNumber("bytes", file.Length);
                writer.WriteString("modified", file.LastWriteTimeUtc);
                writer.WriteEndObject();
            }
            writer.WriteEndArray();
            // With a delay, a new file is not known either.
            if (others > 0 && !age.IsDelayed) writer.WriteNumber("notListed", others);
            // Not an error status: the page always asks, and browsers report error statuses on their console.
            if (_folder is null) writer.WriteString("problem", NoFolder);
            writer.WriteEndObject();
        }
        return HttpAnswer.JsonAsync(response, json.WrittenMemory, http.RequestAborted);
    }

    /// <summary>Answers for paths that begin with <see cref="Prefix"/>.</summary>
    public Task HandleAsync(HttpContext http)
    {
        var (request, response) = (http.Request, http.Response);
        // A WebSocket needs a token before its first message as well, so that names of recordings cannot be guessed without one.
        var needed = HttpMethods.IsGet(request.Method) ? AccessLevel.Watch : AccessLevel.Act;
        if (HttpRoutes.Refusal(http, _access.Tokens, needed) is { } refused) return refused;
        if (_folder is null) return HttpAnswer.TextAsync(response, StatusCodes.Status404NotFound, NoFolder);
        var rest = request.Path.Value![Prefix.Length..];
        var isSync = rest.EndsWith(SyncSuffix, StringComparison.Ordinal);
        if (_folder.TryResolve(isSync ? rest[..^SyncSuffix.Length] : rest, out var problem) is not { } file)
            return HttpAnswer.TextAsync(response, StatusCodes.Status400BadRequest, problem);
        if (!isSync)
        {
            if (HttpMethods.IsPut(request.Method)) return _upload!.TakeAsync(http, file);
            return HttpAnswer.NotAllowedAsync(
                response, "PUT", $"a recording is added with PUT, and played by a WebSocket at {Prefix}NAME{SyncSuffix}");
        }
        var age = RecordingAge.For(http, _access, _clock);
        if (!File.Exists(file) || !age.Allows(file)) return HttpAnswer.TextAsync(response, StatusCodes.Status404NotFound, age.NotFound);
        // Also answered without a handshake: browsers do not tell a page why a WebSocket was refused, so the page sends a plain request to
        // get the reason.
        return Volatile.Read(ref _playbacks) >= _options.MaxPlaybacks ? TooManyAsync(response) : _endpointOf(file).HandleAsync(http);
    }

    /// <summary>Answers <see cref="CompareEndpoint.Path"/> for a recording that plays for a single page.</summary>
    /// <param name="run">The run's id, which the page got with the match.</param>
    /// <param name="http">The request.</param>
    public Task CompareAsync(string run, HttpContext http) =>
        _compared.TryGetValue(run, out var compare)
            ? compare.HandleAsync(http)
            : HttpAnswer.TextAsync(http.Response, StatusCodes.Status404NotFound, "no recording plays here as this run");

    private async Task PlayAsync(string file, HttpContext http, CancellationToken stopping)
    {
        if (Interlocked.Increment(ref _playbacks) > _options.MaxPlaybacks)
        {
            Interlocked.Decrement(ref _playbacks);
            await TooManyAsync(http.Response);
            return;
        }
        try
        {
            await PlaybackSession.ServeAsync(file, http, _hub, _webSocket, _access, _compared, _clock, stopping);
        }
        finally
        {
            Interlocked.Decrement(ref _playbacks);
        }
    }

    private Task TooManyAsync(HttpResponse response) =>
        HttpAnswer.TextAsync(
            response, StatusCodes.Status503ServiceUnavailable, $"{_options.MaxPlaybacks} recordings are already playing: close one");
}
