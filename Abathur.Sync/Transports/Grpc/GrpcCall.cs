using System.Buffers;
using System.Buffers.Binary;
using System.IO.Pipelines;
using Google.Protobuf;
using Microsoft.AspNetCore.Http;
using Microsoft.AspNetCore.Http.Features;

namespace Abathur.Sync.Transports.Grpc;

/// <summary>
/// One call: its metadata, its deadline, and both directions as messages. Handlers read and write from one flow each;
/// two concurrent reads, or two concurrent writes, are not allowed.
/// </summary>
public sealed class GrpcCall
{
    /// <summary>Bytes in front of each message.</summary>
    public const int PrefixBytes = GrpcMessageReader.PrefixBytes;

    private readonly HttpContext _http;
    private readonly GrpcServerOptions _options;
    private readonly GrpcMessageReader _reader;
    private readonly PipeWriter _body;

    internal GrpcCall(HttpContext http, GrpcServerOptions options, DateTimeOffset? deadline, CancellationToken cancellation)
    {
        _http = http;
        _options = options;
        _body = http.Response.BodyWriter;
        _reader = new GrpcMessageReader(http.Request.BodyReader, options.MaxReceiveMessageBytes, http.Request.Headers["grpc-encoding"]);
        Deadline = deadline;
        Cancellation = cancellation;
        RequestHeaders = new GrpcMetadata(http.Request.Headers);
        ResponseHeaders = new GrpcMetadata(http.Response.Headers);
    }

    /// <summary>Full name of the method, "/package.Service/Method".</summary>
    public string Method => _http.Request.Path.Value!;

    /// <summary>Address of the client, "127.0.0.1:50414", or "unix".</summary>
    public string Peer => _http.Connection.RemoteIpAddress is { } address ? $"{address}:{_http.Connection.RemotePort}" : "unix";

    /// <summary>Fires when the client cancels or goes away, and when the deadline passes.</summary>
    public CancellationToken Cancellation { get; }

    /// <summary>When the client stops waiting; null: never.</summary>
    public DateTimeOffset? Deadline { get; }

    /// <summary>What the client sent along.</summary>
    public GrpcMetadata RequestHeaders { get; }

    /// <summary>Initial metadata of the response; without effect after the first message or <see cref="SendHeadersAsync"/>.</summary>
    public GrpcMetadata ResponseHeaders { get; }

    /// <summary>Trailing metadata of the response, sent with the status.</summary>
    public GrpcMetadata ResponseTrailers { get; } = new(new HeaderDictionary());

    /// <summary>Whether the last message read came compressed.</summary>
    public bool RequestWasCompressed => _reader.WasCompressed;

    /// <summary>
    /// Whether messages written from now on are compressed with gzip, where the client accepts it. Default false. To
    /// switch it on after the first message, it must have been on when the headers were sent.
    /// </summary>
    public bool CompressResponses { get; set; }

    /// <summary>
    /// The response body itself, for handlers that frame ready bytes on their own: <see cref="WritePrefix"/>, then the
    /// message, then <see cref="PipeWriter.FlushAsync"/>. Not compressed.
    /// </summary>
    public PipeWriter BodyWriter => _body;

    private bool ClientAcceptsGzip => _http.Request.Headers["grpc-accept-encoding"].ToString().Split(',').Any(name => name.Trim() == GrpcEncoding.Gzip);

    /// <summary>The next request message as a view valid until the next read, or null at the end of the client's stream.</summary>
    public ValueTask<ReadOnlySequence<byte>?> ReadAsync() => _reader.ReadAsync(Cancellation);

    /// <summary>The next request message, or null at the end. Throws <see cref="GrpcException"/> (INTERNAL) where it does not parse.</summary>
    public ValueTask<T?> ReadAsync<T>(MessageParser<T> parser)
        where T : class, IMessage<T> =>
        ReadAsync(parser, Cancellation);

    /// <summary>The same, given up when <paramref name="cancellation"/> fires.</summary>
    public async ValueTask<T?> ReadAsync<T>(MessageParser<T> parser, CancellationToken cancellation)
        where T : class, IMessage<T>
    {
        if (await _reader.ReadAsync(cancellation) is not { } bytes) return null;
        try
        {
            return parser.ParseFrom(bytes);
        }
        catch (InvalidProtocolBufferException e)
        {
            throw new GrpcException(GrpcStatusCode.Internal, $"the request is not a {typeof(T).Name}: {e.Message}");
        }
    }

    /// <summary>Sends the initial metadata now rather than with the first message. Streams of rare messages should.</summary>
    public async ValueTask SendHeadersAsync()
    {
        PrepareHeaders();
        await _http.Response.StartAsync(Cancellation);
        await _body.FlushAsync(Cancellation);
    }

    /// <summary>Writes one message and waits until the client's window has taken it.</summary>
    public async ValueTask WriteAsync(IMessage message)
    {
        var length = message.CalculateSize();
        if (CompressResponses && ClientAcceptsGzip)
        {
            await WriteAsync(message.ToByteArray());
            return;
        }
        CheckSendSize(length);
        PrepareHeaders();
        WritePrefix(_body, (uint)length);
        message.WriteTo((IBufferWriter<byte>)_body);
        await FlushAsync();
    }

    /// <summary>The same with the bytes of a message.</summary>
    public async ValueTask WriteAsync(ReadOnlyMemory<byte> message)
    {
        CheckSendSize(message.Length);
        PrepareHeaders();
        if (CompressResponses && ClientAcceptsGzip)
        {
            message = GrpcEncoding.Compress(message.Span);
            WritePrefix(_body, (uint)message.Length, compressed: true);
        }
        else
        {
            WritePrefix(_body, (uint)message.Length);
        }
        _body.Write(message.Span);
        await FlushAsync();
    }

    /// <summary>Writes the five bytes that stand before a message.</summary>
    public static void WritePrefix(IBufferWriter<byte> body, uint messageBytes, bool compressed = false)
    {
        var prefix = body.GetSpan(GrpcMessageReader.PrefixBytes);
        prefix[0] = compressed ? (byte)1 : (byte)0;
        BinaryPrimitives.WriteUInt32BigEndian(prefix[1..], messageBytes);
        body.Advance(GrpcMessageReader.PrefixBytes);
    }

    /// <summary>
    /// Ends the stream at once although the client does not read: RST_STREAM with ENHANCE_YOUR_CALM, which clients
    /// report as RESOURCE_EXHAUSTED. For when a status cannot get through the client's full window.
    /// </summary>
    public void Reset()
    {
        const int EnhanceYourCalm = 0xb;
        _http.Features.Get<IHttpResetFeature>()?.Reset(EnhanceYourCalm);
    }

    private void PrepareHeaders()
    {
        if (_http.Response.HasStarted) return;
        _http.Response.Headers["grpc-encoding"] = CompressResponses && ClientAcceptsGzip ? GrpcEncoding.Gzip : GrpcEncoding.Identity;
    }

    private async ValueTask FlushAsync()
    {
        var result = await _body.FlushAsync(Cancellation);
        if (result.IsCompleted || result.IsCanceled) throw new OperationCanceledException("the client is gone");
    }

    private void CheckSendSize(int length)
    {
        if (length <= _options.MaxSendMessageBytes) return;
        throw new GrpcException(GrpcStatusCode.ResourceExhausted, $"a response message of {length} bytes is over the limit of {_options.MaxSendMessageBytes}");
    }
}
