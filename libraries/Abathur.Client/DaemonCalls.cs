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
    /// <summary>Trailing metadata of a daemon that shuts down. A broken connection is UNAVAILABLE as well, but without it.</summary>
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
    public static async Task<Result> AnswerAsync(this GameSync.GameSyncClient game, ClientMessage message, CallOptions options) =>
        message.MessageCase switch
        {
            ClientMessage.MessageOneofCase.Act => new Result { Act = await game.ActAsync(message.Act, options) },
            ClientMessage.MessageOneofCase.Control => new Result { Control = await game.ControlAsync(message.Control, options) },
            ClientMessage.MessageOneofCase.Draw => new Result { Draw = await game.DrawAsync(message.Draw, options) },
            ClientMessage.MessageOneofCase.Matches => new Result { Matches = await game.GetMatchesAsync(message.Matches, options) },
            ClientMessage.MessageOneofCase.Plot => new Result { Plot = await game.PlotAsync(message.Plot, options) },
            ClientMessage.MessageOneofCase.Plots => new Result { Plots = await game.GetPlotsAsync(message.Plots, options) },
            ClientMessage.MessageOneofCase.Query => new Result { Query = await game.QueryAsync(message.Query, options) },
            ClientMessage.MessageOneofCase.Status => new Result { Status = await game.GetStatusAsync(message.Status, options) },
            ClientMessage.MessageOneofCase.Timeline => new Result { Timeline = await game.GetTimelineAsync(message.Timeline, options) },
            _ => throw new NotSupportedException($"no request: {message.MessageCase}"),
        };

    private static async ValueTask<Stream> ConnectAsync(string path, CancellationToken cancellationToken)
    {
        var socket = new Socket(AddressFamily.Unix, SocketType.Stream, ProtocolType.Unspecified);
        try
        {
            await socket.ConnectAsync(new UnixDomainSocketEndPoint(path), cancellationToken);
            return new NetworkStream(socket, ownsSocket: true);
        }
        catch
        {
            socket.Dispose();
            throw;
        }
    }
}
