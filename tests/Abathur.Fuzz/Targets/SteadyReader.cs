using System.Buffers.Binary;
using System.Net;
using System.Net.Http.Headers;
using Abathur.Sync.Tests.Transports.Grpc;
using Abathur.Sync.V1;
using Google.Protobuf;

namespace Abathur.Fuzz.Targets;

/// <summary>A client in order beside those that are not: subscribed by gRPC, with .NET's own HTTP/2, from the beginning to the
/// end.</summary>
internal sealed class SteadyReader : IDisposable
{
    private readonly HttpClient _http = new();
    private readonly Stream _frames;
    private ulong _newest;

    /// <param name="port">Of the daemon.</param>
    public SteadyReader(int port)
    {
        var content = new ByteArrayContent(GrpcFrames.Frame(new SubscribeRequest
        {
            FieldMask = new() { Paths = { "observation.game_loop" } },
            Encoding = Abathur.Sync.V1.Encoding.Proto,
            Name = "steady",
        }.ToByteArray()));
        content.Headers.ContentType = new MediaTypeHeaderValue("application/grpc");
        var request = new HttpRequestMessage(HttpMethod.Post, $"http://127.0.0.1:{port}/abathur.sync.v1.GameSync/Subscribe")
        {
            Content = content,
            Version = HttpVersion.Version20,
            VersionPolicy = HttpVersionPolicy.RequestVersionExact,
        };
        request.Headers.TE.Add(new("trailers"));
        var response = _http.SendAsync(request, HttpCompletionOption.ResponseHeadersRead).GetAwaiter().GetResult();
        Check.That(response.StatusCode == HttpStatusCode.OK, $"the reader is refused: {response.StatusCode}");
        _frames = response.Content.ReadAsStream();
    }

    /// <summary>The next frame comes, and is a newer one.</summary>
    public void CheckGoesOn()
    {
        using var limit = new CancellationTokenSource(FuzzDaemon.Limit);
        try
        {
            var sequence = ReadAsync(limit.Token).AsTask().GetAwaiter().GetResult();
            Check.That(sequence > _newest, $"frame {sequence} after {_newest}");
            _newest = sequence;
        }
        catch (Exception e) when (e is OperationCanceledException or IOException or HttpRequestException)
        {
            throw new FuzzFailureException($"the reader beside gets no frame: {e.Message}");
        }
    }

    /// <inheritdoc/>
    public void Dispose()
    {
        _frames.Dispose();
        _http.Dispose();
    }

    private async ValueTask<ulong> ReadAsync(CancellationToken cancellationToken)
    {
        var head = new byte[5];
        await _frames.ReadExactlyAsync(head, cancellationToken);
        var message = new byte[BinaryPrimitives.ReadInt32BigEndian(head.AsSpan(1))];
        await _frames.ReadExactlyAsync(message, cancellationToken);
        return Frame.Parser.ParseFrom(message).Sequence;
    }
}
