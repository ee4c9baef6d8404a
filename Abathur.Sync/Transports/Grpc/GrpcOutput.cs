using System.Buffers;
using System.Buffers.Binary;
using System.IO.Pipelines;
using System.Net;
using System.Runtime.CompilerServices;
using Abathur.Sync.V1;
using Google.Protobuf;
using Microsoft.AspNetCore.Http;
using Microsoft.AspNetCore.Http.Features;

namespace Abathur.Sync.Transports.Grpc;

/// <summary>
/// The response of a gRPC call, to which messages are written without a task and a copy for each: the bytes of a frame are shared by all
/// its readers.
/// </summary>
internal sealed class GrpcOutput(HttpContext http)
{
    /// <summary>Bytes in front of each message: one that says whether it is compressed, four of its length.</summary>
    public const int PrefixBytes = 5;

    private const int PartBytes = 64 * 1024;

    private readonly PipeWriter _body = http.Response.BodyWriter;

    /// <summary>Where a message is written after <see cref="WritePrefix"/>.</summary>
    public PipeWriter Body => _body;

    /// <summary>Address of the client, "127.0.0.1:50414" or "[::1]:50414", or "unix".</summary>
    public static string PeerOf(HttpContext http) =>
        http.Connection.RemoteIpAddress is { } address ? new IPEndPoint(address, http.Connection.RemotePort).ToString() : "unix";

    /// <summary>
    /// Ends a stream at once although the client does not read: RST_STREAM with ENHANCE_YOUR_CALM, which clients
    /// report as RESOURCE_EXHAUSTED. For a status that cannot be sent because the client's window is full.
    /// </summary>
    public static void Reset(HttpContext http)
    {
        const int EnhanceYourCalm = 0xb;
        http.Features.Get<IHttpResetFeature>()?.Reset(EnhanceYourCalm);
    }

    /// <summary>Writes the five bytes before a message.</summary>
    public void WritePrefix(int messageBytes)
    {
        var prefix = _body.GetSpan(PrefixBytes);
        prefix[0] = 0;
        BinaryPrimitives.WriteUInt32BigEndian(prefix[1..], (uint)messageBytes);
        _body.Advance(PrefixBytes);
    }

    /// <summary>Writes a message.</summary>
    public void Write(ServerMessage message)
    {
        WritePrefix(message.CalculateSize());
        message.WriteTo(_body);
    }

    /// <summary>Writes a long message in parts, each when the client's window has taken the one before: a client that does not read holds
    /// the memory of one. False: the client is gone, or the call is cancelled.</summary>
    public async ValueTask<bool> WriteInPartsAsync(ReadOnlyMemory<byte> message, CancellationToken cancellationToken)
    {
        WritePrefix(message.Length);
        for (var rest = message; !rest.IsEmpty;)
        {
            var part = rest[..Math.Min(rest.Length, PartBytes)];
            _body.Write(part.Span);
            rest = rest[part.Length..];
            if (!await FlushAsync(cancellationToken)) return false;
        }
        return true;
    }

    /// <summary>Sends what was written and waits until the client's window has taken it. False: the client is gone, or the call is
    /// cancelled.</summary>
    [AsyncMethodBuilder(typeof(PoolingAsyncValueTaskMethodBuilder<>))]
    public async ValueTask<bool> FlushAsync(CancellationToken cancellationToken)
    {
        // The token is not passed to Kestrel, which would reset the stream when a waiting flush is cancelled, and the status would be lost.
        var flush = _body.FlushAsync(CancellationToken.None);
        FlushResult result;
        if (flush.IsCompleted)
        {
            result = await flush;
        }
        else
        {
            using var registration = cancellationToken.UnsafeRegister(static body => ((PipeWriter)body!).CancelPendingFlush(), _body);
            result = await flush;
        }
        return !result.IsCompleted && !result.IsCanceled && !cancellationToken.IsCancellationRequested;
    }
}
