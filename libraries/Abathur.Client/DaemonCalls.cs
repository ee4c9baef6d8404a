using System.Net.Sockets;
using System.Security.Cryptography.X509Certificates;
using Abathur.Sync.V1;
using Grpc.Core;
using Grpc.Net.Client;

namespace Abathur.Client;

/// <summary>What all clients of a daemon's gRPC do in the same way. The daemon, whose relay reads other daemons, compiles this file as
/// well.</summary>
internal static class DaemonCalls
{
    /// <summary>Trailing metadata of a daemon that shuts down. A broken connection is Unavailable as well, but without it.</summary>
    public const string EndKey = "abathur-end", Stopping = "stopping";

    // A peer that disappeared without a word is found after 25 s.
    private static readonly TimeSpan PingDelay = TimeSpan.FromSeconds(15), PingTimeout = TimeSpan.FromSeconds(10);

    /// <summary>Whether a call ended because the daemon shuts down.</summary>
    public static bool IsStopping(RpcException e) => e.Trailers.GetValue(EndKey) == Stopping;

    /// <summary>A channel to a daemon. It connects with the first call.</summary>
    /// <param name="address">http or https; of a Unix domain socket any host, because servers need one.</param>
    /// <param name="unixPath">Path of the Unix domain socket; null: TCP.</param>
    /// <param name="trusted">How the daemon's certificate is checked; null: as the system does.</param>
    /// <param name="connectTimeout">How long a connection may take.</param>
    /// <param name="maxMessageBytes">Longest message that the daemon may send.</param>
    public static GrpcChannel Open(
        Uri address, string? unixPath, X509ChainPolicy? trusted, TimeSpan connectTimeout, int maxMessageBytes)
    {
        var handler = new SocketsHttpHandler
        {
            // An address that was given is not that of a web proxy's network.
            UseProxy = false,
            ConnectTimeout = connectTimeout,
            EnableMultipleHttp2Connections = true,
            KeepAlivePingDelay = PingDelay,
            KeepAlivePingTimeout = PingTimeout,
            KeepAlivePingPolicy = HttpKeepAlivePingPolicy.WithActiveRequests,
        };
        if (trusted is not null) handler.SslOptions.CertificateChainPolicy = trusted;
        if (unixPath is not null) handler.ConnectCallback = (_, cancellationToken) => ConnectAsync(unixPath, cancellationToken);
        return GrpcChannel.ForAddress(address, new GrpcChannelOptions
        {
            // Not as a handler: the library would then answer calls with its last failure until it has tried to connect again by itself.
            HttpClient = new HttpClient(handler) { Timeout = Timeout.InfiniteTimeSpan },
            DisposeHttpClient = true,
            MaxReceiveMessageSize = maxMessageBytes,
            // It would decompress without a limit. Frames have their own compression.
            CompressionProviders = [],
        });
    }

    /// <summary>Sends a request and waits for its answer.</summary>
    /// <exception cref="RpcException">The daemon refuses it, or the connection broke.</exception>
    public static Task<Result> AnswerAsync(this GameSync.GameSyncClient game, ClientMessage message, CallOptions options) =>
        message.MessageCase switch
        {
            ClientMessage.MessageOneofCase.Act => ResultOf(game.ActAsync(message.Act, options), each => new() { Act = each }),
            ClientMessage.MessageOneofCase.Control =>
                ResultOf(game.ControlAsync(message.Control, options), each => new() { Control = each }),
            ClientMessage.MessageOneofCase.Draw => ResultOf(game.DrawAsync(message.Draw, options), each => new() { Draw = each }),
            ClientMessage.MessageOneofCase.Matches =>
                ResultOf(game.GetMatchesAsync(message.Matches, options), each => new() { Matches = each }),
            ClientMessage.MessageOneofCase.Plot => ResultOf(game.PlotAsync(message.Plot, options), each => new() { Plot = each }),
            ClientMessage.MessageOneofCase.Plots => ResultOf(game.GetPlotsAsync(message.Plots, options), each => new() { Plots = each }),
            ClientMessage.MessageOneofCase.Query => ResultOf(game.QueryAsync(message.Query, options), each => new() { Query = each }),
            ClientMessage.MessageOneofCase.Status =>
                ResultOf(game.GetStatusAsync(message.Status, options), each => new() { Status = each }),
            ClientMessage.MessageOneofCase.Timeline =>
                ResultOf(game.GetTimelineAsync(message.Timeline, options), each => new() { Timeline = each }),
            _ => throw new NotSupportedException($"no request: {message.MessageCase}"),
        };

    // The call itself would continue in the caller's synchronization context.
    private static async Task<Result> ResultOf<T>(AsyncUnaryCall<T> call, Func<T, Result> result) =>
        result(await call.ResponseAsync.ConfigureAwait(false));

    private static async ValueTask<Stream> ConnectAsync(string path, CancellationToken cancellationToken)
    {
        var socket = new Socket(AddressFamily.Unix, SocketType.Stream, ProtocolType.Unspecified);
        try
        {
            await socket.ConnectAsync(new UnixDomainSocketEndPoint(path), cancellationToken).ConfigureAwait(false);
            return new NetworkStream(socket, ownsSocket: true);
        }
        catch
        {
            socket.Dispose();
            throw;
        }
    }
}
