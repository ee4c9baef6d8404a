using System.Buffers;
using System.Buffers.Binary;
using System.IO.Pipelines;
using System.Net;
using System.Runtime.CompilerServices;
using Google.Protobuf;
using Microsoft.AspNetCore.Http;
using Microsoft.AspNetCore.Http.Features;

namespace Abathur.Grpc;

/// <summary>
/// One call: its metadata, its deadline, and both directions as messages. Handlers read and write from one task each;
/// two concurrent reads, or two concurrent writes, are not allowed.
/// </summary>
public sealed class GrpcCall : IDisposable
{
    /// <summary>Bytes in front of each message.</summary>
    public const int PrefixBytes = GrpcMessageReader.PrefixBytes;

    private readonly HttpContext _http;
    private readonly GrpcServerOptions _options;
    private readonly GrpcMessageReader _reader;
    private readonly PipeWriter _body;
    private bool? _headersSayGzip;
    private bool _hasFirstMessage;

    internal GrpcCall(
        HttpContext http, GrpcServerOptions options, ByteBudget requestBytes, DateTimeOffset? deadline, CancellationToken cancellation)
    {
        _http = http;
        _options = options;
        _body = http.Response.BodyWriter;
        _reader = new GrpcMessageReader(http.Request.BodyReader, requestBytes, http.Request.Headers["grpc-encoding"])
        {
            MaxMessageBytes = options.MaxReceiveMessageBytes,
        };
        Deadline = deadline;
        Cancellation = cancellation;
        RequestHeaders = new GrpcMetadata(http.Request.Headers);
        ResponseHeaders = new GrpcMetadata(http.Response.Headers);
    }

    /// <summary>Full name of the method, "/package.Service/Method".</summary>
    public string Method => _http.Request.Path.Value!;

    /// <summary>Features of the call, and behind them those of its connection.</summary>
    public IFeatureCollection Features => _http.Features;

    /// <summary>Address of the client, "127.0.0.1:50414" or "[::1]:50414", or "unix".</summary>
    public string Peer =>
        _http.Connection.RemoteIpAddress is { } address ? new IPEndPoint(address, _http.Connection.RemotePort).ToString() : "unix";

    /// <summary>Fires when the client cancels or goes away, and when the deadline passes.</summary>
    public CancellationToken Cancellation { get; }

    /// <summary>When the client stops waiting; null: never.</summary>
    public DateTimeOffset? Deadline { get; }

    /// <summary>Metadata of the request.</summary>
    public GrpcMetadata RequestHeaders { get; }

    /// <summary>Initial metadata of the response; read-only after the first message or <see cref="SendHeadersAsync"/>.</summary>
    public GrpcMetadata ResponseHeaders { get; }

    /// <summary>Trailing metadata of the response, sent with the status.</summary>
    public GrpcMetadata ResponseTrailers { get; } = new(new HeaderDictionary());

    /// <summary>
    /// Largest request message in bytes, compressed and decompressed, from the next read on. A larger one ends the call with
    /// RESOURCE_EXHAUSTED before it is read.
    /// </summary>
    public int MaxReceiveMessageBytes
    {
        get => _reader.MaxMessageBytes;
        set => _reader.MaxMessageBytes = value;
    }

    /// <summary>Whether the last message read came compressed.</summary>
    public bool RequestWasCompressed => _reader.WasCompressed;

    /// <summary>
    /// Whether messages written from now on are compressed with gzip, if the client accepts it. Default false. It has no
    /// effect if it was false when the headers were sent, because they declare the compression of the stream.
    /// </summary>
    public bool CompressResponses { get; set; }

    /// <summary>
    /// The response body itself, for handlers that frame serialized messages themselves: <see cref="WritePrefix"/>, then
    /// the message, then <see cref="FlushAsync()"/>. Not compressed.
    /// </summary>
    public PipeWriter BodyWriter => _body;

    /// <summary>Whether a read or a write has detected that the client has disconnected. <see cref="Cancellation"/> may fire
    /// later.</summary>
    internal bool ClientIsGone { get; private set; }

    private bool ClientAcceptsGzip =>
        _http.Request.Headers["grpc-accept-encoding"].ToString().Split(',').Any(name => name.Trim() == GrpcEncoding.Gzip);

    /// <summary>The next request message as a view valid until the next read, or null at the end of the client's stream.</summary>
    public ValueTask<ReadOnlySequence<byte>?> ReadAsync() => ReadAsync(Cancellation);

    /// <summary>The next request message, or null at the end. Throws <see cref="GrpcException"/> (INTERNAL) if it cannot be
    /// parsed.</summary>
    public ValueTask<T?> ReadAsync<T>(MessageParser<T> parser)
        where T : class, IMessage<T> =>
        ReadAsync(parser, Cancellation);

    /// <summary>The same with a token that cancels the read.</summary>
    public async ValueTask<T?> ReadAsync<T>(MessageParser<T> parser, CancellationToken cancellation)
        where T : class, IMessage<T>
    {
        if (await ReadAsync(cancellation) is not { } bytes) return null;
        try
        {
            return parser.ParseFrom(bytes);
        }
        catch (InvalidProtocolBufferException e)
        {
            throw new GrpcException(GrpcStatusCode.Internal, $"the request is not a {typeof(T).Name}: {e.Message}");
        }
    }

    /// <summary>Sends the initial metadata now instead of with the first message. Recommended for streams whose first message may be
    /// late.</summary>
    public async ValueTask SendHeadersAsync()
    {
        PrepareCompression();
        await _http.Response.StartAsync(Cancellation);
        await FlushOrThrowAsync();
    }

    /// <summary>Writes one message and waits until the client's window has taken it.</summary>
    public async ValueTask WriteAsync(IMessage message)
    {
        var length = message.CalculateSize();
        CheckSendSize(length);
        if (PrepareCompression())
        {
            await WriteAsync(message.ToByteArray());
            return;
        }
        WritePrefix(_body, (uint)length);
        message.WriteTo((IBufferWriter<byte>)_body);
        await FlushOrThrowAsync();
    }

    /// <summary>The same with the bytes of a message.</summary>
    public async ValueTask WriteAsync(ReadOnlyMemory<byte> message)
    {
        CheckSendSize(message.Length);
        if (PrepareCompression() && !message.IsEmpty)
        {
            message = GrpcEncoding.Compress(message.Span);
            WritePrefix(_body, (uint)message.Length, compressed: true);
        }
        else
        {
            WritePrefix(_body, (uint)message.Length);
        }
        _body.Write(message.Span);
        await FlushOrThrowAsync();
    }

    /// <summary>
    /// Sends what was written to <see cref="BodyWriter"/> and waits until the client's window has taken it. False: the
    /// client is gone, or the call is cancelled.
    /// </summary>
    public ValueTask<bool> FlushAsync() => FlushAsync(Cancellation);

    /// <summary>The same with a token that cancels the wait.</summary>
    [AsyncMethodBuilder(typeof(PoolingAsyncValueTaskMethodBuilder<>))]
    public async ValueTask<bool> FlushAsync(CancellationToken cancellation)
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
            using var registration = cancellation.UnsafeRegister(static body => ((PipeWriter)body!).CancelPendingFlush(), _body);
            result = await flush;
        }
        if (result.IsCompleted) ClientIsGone = true;
        return !result.IsCompleted && !result.IsCanceled && !cancellation.IsCancellationRequested;
    }

    /// <summary>Writes the five bytes before a message.</summary>
    public static void WritePrefix(IBufferWriter<byte> body, uint messageBytes, bool compressed = false)
    {
        var prefix = body.GetSpan(GrpcMessageReader.PrefixBytes);
        prefix[0] = compressed ? (byte)1 : (byte)0;
        BinaryPrimitives.WriteUInt32BigEndian(prefix[1..], messageBytes);
        body.Advance(GrpcMessageReader.PrefixBytes);
    }

    /// <summary>Releases the memory of the last message. Called by the server when the handler has returned.</summary>
    public void Dispose() => _reader.Dispose();

    /// <summary>
    /// Ends the stream at once although the client does not read: RST_STREAM with ENHANCE_YOUR_CALM, which clients
    /// report as RESOURCE_EXHAUSTED. For a status that cannot be sent because the client's window is full.
    /// </summary>
    public void Reset()
    {
        const int EnhanceYourCalm = 0xb;
        _http.Features.Get<IHttpResetFeature>()?.Reset(EnhanceYourCalm);
    }

    /// <summary>Declares the compression in the headers if they are not sent yet. True: compress this message.</summary>
    private bool PrepareCompression()
    {
        if (_headersSayGzip is null)
        {
            _headersSayGzip = !_http.Response.HasStarted && CompressResponses && ClientAcceptsGzip;
            if (!_http.Response.HasStarted)
                _http.Response.Headers["grpc-encoding"] = _headersSayGzip.Value ? GrpcEncoding.Gzip : GrpcEncoding.Identity;
        }
        return CompressResponses && _headersSayGzip.Value;
    }

    private async ValueTask<ReadOnlySequence<byte>?> ReadAsync(CancellationToken cancellation)
    {
        try
        {
            if (_hasFirstMessage || _options.FirstMessageTimeout == Timeout.InfiniteTimeSpan) return await _reader.ReadAsync(cancellation);
            var first = await ReadFirstAsync(cancellation);
            _hasFirstMessage = true;
            return first;
        }
        catch (IOException e)
        {
            ClientIsGone = true;
            throw new OperationCanceledException("the client has disconnected", e);
        }
    }

    private async ValueTask<ReadOnlySequence<byte>?> ReadFirstAsync(CancellationToken cancellation)
    {
        using var limit = new CancellationTokenSource(_options.FirstMessageTimeout, _options.TimeProvider);
        using var either = CancellationTokenSource.CreateLinkedTokenSource(limit.Token, cancellation);
        try
        {
            return await _reader.ReadAsync(either.Token);
        }
        catch (OperationCanceledException) when (limit.IsCancellationRequested && !cancellation.IsCancellationRequested)
        {
            throw new GrpcException(
                GrpcStatusCode.DeadlineExceeded, $"no complete message came within {_options.FirstMessageTimeout.TotalSeconds:0.###} s");
        }
    }

    private async ValueTask FlushOrThrowAsync()
    {
        if (await FlushAsync(Cancellation)) return;
        Cancellation.ThrowIfCancellationRequested();
        throw new OperationCanceledException("the client has disconnected");
    }

    private void CheckSendSize(int length)
    {
        if (length <= _options.MaxSendMessageBytes) return;
        throw new GrpcException(
            GrpcStatusCode.ResourceExhausted, $"a response message of {length} bytes is over the limit of {_options.MaxSendMessageBytes}");
    }
}
