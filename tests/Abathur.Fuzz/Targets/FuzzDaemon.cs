using System.Net;
using System.Net.Sockets;
using Abathur.Recordings.Tests;
using Abathur.Sync.Frames;
using Abathur.Sync.Hosting;
using Abathur.Sync.Hub;
using Abathur.Sync.Matches;
using Abathur.Sync.Sources;
using Abathur.Sync.Transports.WebSocket;
using Abathur.Sync.V1;
using Encoding = System.Text.Encoding;

namespace Abathur.Fuzz.Targets;

/// <summary>A real daemon with a small match that never ends, and one connection at a time to it. What it says on standard error is a
/// finding.</summary>
internal sealed class FuzzDaemon : IDisposable
{
    /// <summary>How long the daemon may take for anything. The machine may be busy with other things.</summary>
    public static readonly TimeSpan Limit = TimeSpan.FromSeconds(10);

    private const long MaxGrowthBytes = 64_000_000;
    private static readonly TimeSpan Short = TimeSpan.FromMilliseconds(300);
    private readonly CancellationTokenSource _stop = new();
    private readonly Daemon _daemon;
    private readonly OpenConnections _connections;
    private long? _memory;
    private readonly Task _running;
    private readonly TextWriter _errorBefore = Console.Error;
    private readonly StringWriter _errors = new();
    private readonly TextWriter _told;

    /// <param name="port">What it listens to.</param>
    public FuzzDaemon(FuzzPort port)
    {
        _told = TextWriter.Synchronized(_errors);
        Console.SetError(_told);
        var options = new DaemonOptions
        {
            GrpcPort = port == FuzzPort.Grpc ? 0 : null,
            SocketPort = port == FuzzPort.Socket ? 0 : null,
            HttpPort = port == FuzzPort.Web ? 0 : null,
            WebSocket = new WebSocketTransportOptions { HandshakeTimeout = Short, CloseTimeout = Short, DrainTimeout = Short },
        };
        _connections = new OpenConnections();
        _daemon = new Daemon(new EndlessSource(), options, TimeProvider.System);
        Port = IPEndPoint.Parse(_daemon.StartAsync(CancellationToken.None).GetAwaiter().GetResult().All.Single().Address).Port;
        _running = _daemon.RunAsync(_stop.Token);
    }

    /// <summary>Where it listens.</summary>
    public int Port { get; }

    /// <summary>What is no finding on standard error: parts of lines.</summary>
    public IReadOnlyList<string> Tolerated { get; init; } = [];

    /// <summary>Connects. The connection is reset, not closed, when it is disposed: thousands a second would use up all ports.</summary>
    public Socket Connect()
    {
        var socket = new Socket(AddressFamily.InterNetwork, SocketType.Stream, ProtocolType.Tcp)
        {
            NoDelay = true,
            LingerState = new LingerOption(true, 0),
            ReceiveTimeout = (int)Limit.TotalMilliseconds,
            SendTimeout = (int)Limit.TotalMilliseconds,
        };
        socket.Connect(IPAddress.Loopback, Port);
        return socket;
    }

    /// <summary>Sends as much as the daemon takes: it may have closed before.</summary>
    public static void Send(Socket socket, ReadOnlySpan<byte> bytes)
    {
        try
        {
            while (!bytes.IsEmpty) bytes = bytes[socket.Send(bytes)..];
        }
        catch (SocketException e) when (e.SocketErrorCode is SocketError.ConnectionReset
            or SocketError.ConnectionAborted
            or SocketError.Shutdown
            or SocketError.TimedOut)
        {
            // It has. TimedOut is what .NET says at once where the peer closes between two parts of one Send; a daemon that neither reads
            // nor closes is found by the Receive that follows.
        }
    }

    /// <summary>Reads until something is there that is asked for, or the end. False at the end.</summary>
    public static bool Receive(Socket socket, List<byte> received, Func<List<byte>, bool> enough)
    {
        Span<byte> room = stackalloc byte[4096];
        while (!enough(received))
        {
            int count;
            try
            {
                count = socket.Receive(room);
            }
            catch (SocketException e) when (e.SocketErrorCode is SocketError.ConnectionReset or SocketError.ConnectionAborted)
            {
                return false;
            }
            catch (SocketException e) when (e.SocketErrorCode is SocketError.TimedOut or SocketError.WouldBlock)
            {
                throw new FuzzFailureException(
                    $"nothing came within {Limit.TotalSeconds} s, and the connection was not closed; before: {Text(received)}");
            }
            if (count == 0) return false;
            received.AddRange(room[..count]);
        }
        return true;
    }

    /// <summary>Sooner or later no subscription, no connection and no memory is left of those who have gone, and nothing was told on
    /// standard error.</summary>
    /// <param name="others">Clients that are connected and subscribed all the time.</param>
    public void CheckIsUnharmed(int others = 0)
    {
        using var limit = new CancellationTokenSource(Limit);
        try
        {
            _daemon.Run.Hub.WaitForSubscribersAsync(count => count == others, limit.Token).GetAwaiter().GetResult();
        }
        catch (OperationCanceledException)
        {
            throw new FuzzFailureException("a subscription is left although its connection is gone");
        }
        Check.That(
            SpinWait.SpinUntil(() => _connections.Count == others, Limit),
            $"{_connections.Count} connections are open, of {others} clients");
        CheckMemory();
        CheckQuiet();
    }

    private void CheckMemory()
    {
        var memory = GC.GetTotalMemory(forceFullCollection: true);
        // The first time everything has been used once.
        _memory ??= memory;
        Check.That(memory - _memory < MaxGrowthBytes, $"{memory / 1_000_000} MB are in use, {_memory / 1_000_000} MB at first");
    }

    /// <summary>Nothing was told on standard error.</summary>
    public void CheckQuiet()
    {
        string told;
        lock (_told)
        {
            told = _errors.ToString();
            _errors.GetStringBuilder().Clear();
        }
        if (told.Split('\n').All(line => line.Length == 0 || Tolerated.Any(part => line.Contains(part, StringComparison.Ordinal)))) return;
        throw new FuzzFailureException($"the daemon said: {told}");
    }

    /// <summary>Bytes for people.</summary>
    public static string Text(List<byte> bytes) => Encoding.Latin1.GetString([.. bytes.Take(200)]);

    /// <inheritdoc/>
    public void Dispose()
    {
        Console.SetError(_errorBefore);
        _stop.Cancel();
        _running.GetAwaiter().GetResult();
        _daemon.DisposeAsync().AsTask().GetAwaiter().GetResult();
        _connections.Dispose();
        _stop.Dispose();
    }

    private sealed class EndlessSource : IMatchSource
    {
        public MatchAbilities Abilities { get; } = new() { Kind = SourceKind.Push, CanWait = false };

        public async Task<SubscriptionEnd> RunAsync(IMatchSink sink, CancellationToken cancellationToken)
        {
            var run = sink.Begin(new Match { MatchId = "fuzz", MapName = "Fuzz LE" });
            using var timer = new PeriodicTimer(TimeSpan.FromMilliseconds(2));
            for (var loop = 1u; !cancellationToken.IsCancellationRequested; loop++)
            {
                var payload = SharedBuffer.Rent();
                System.Buffers.BuffersExtensions.Write(payload, RecordingSample.Observation(loop, 50));
                await run.PublishAsync(SharedFrame.Rent(loop, FrameStamp.Now(TimeProvider.System), payload));
                try
                {
                    await timer.WaitForNextTickAsync(cancellationToken);
                }
                catch (OperationCanceledException)
                {
                    // Told to stop.
                }
            }
            return new(SubscriptionEndReason.Stopping, "stopped");
        }
    }
}
