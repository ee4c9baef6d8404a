using Abathur.Grpc;
using Abathur.Sync.Access;
using Abathur.Sync.V1;
using Microsoft.AspNetCore.Connections;
using Microsoft.AspNetCore.Connections.Features;
using Microsoft.AspNetCore.Http.Features;

namespace Abathur.Sync.Transports.Socket;

/// <summary>
/// The raw socket, TCP or Unix domain: the client's first line is JSON and subscribes, the answer is a line of JSON,
/// and then messages go in the form that was asked for (docs/protocol.md).
/// </summary>
internal sealed class SocketHandler(SyncApi api, TimeProvider clock)
{
    /// <summary>Longest first line, before its token is known.</summary>
    internal const int MaxFirstLineBytes = 16 * 1024;

    /// <summary>How long a client may take for its first line.</summary>
    internal static TimeSpan HandshakeTimeout { get; } = TimeSpan.FromSeconds(10);

    /// <summary>How long a client may be silent after the goodbye before it closes.</summary>
    internal static TimeSpan LingerTime { get; } = TimeSpan.FromSeconds(2);

    /// <summary>How long one that goes on sending is heard in all.</summary>
    internal static TimeSpan MaxLingerTime { get; } = 5 * LingerTime;

    public async Task HandleAsync(ConnectionContext connection)
    {
        var input = connection.Transport.Input;
        // Behind TLS the socket is not ours to write to.
        var isEncrypted = connection.Features.Get<ITlsHandshakeFeature>() is not null;
        using var output = new SocketOutput(connection.Features.GetRequiredFeature<IConnectionSocketFeature>().Socket, isEncrypted ? connection.Transport.Output : null);
        var isPublishing = false;
        try
        {
            var first = await ReadFirstAsync(connection);
            if (first is null) return;
            var level = api.LevelOf(first.Token);
            if (first.Publish is { } start)
            {
                isPublishing = true;
                await PublishAsync(start, level, connection, output);
                return;
            }
            var request = first.Subscribe;
            using var subscription = api.Subscribe(request, TransportTraits.Socket, Peer(connection), level);
            await using var aborting = subscription.Aborted.Register(connection.Abort);
            JsonLine.Write(output.Writer, new ServerMessage { Match = await api.WaitForMatchAsync(connection.ConnectionClosed) });
            ISessionWire wire = subscription.Options.Encoding == Encoding.Json ? new JsonLineWire(input, output) : new LengthPrefixedWire(input, output);
            await new SyncSession(api, wire, subscription, level).RunAsync(connection.ConnectionClosed);
            await LingerAsync(connection);
        }
        catch (GrpcException e)
        {
            JsonLine.Write(output.Writer, new ServerMessage { Error = new Error { Code = e.StatusCode.ToName(), Message = e.Message, Fatal = true } });
            await output.FlushAsync(CancellationToken.None);
            if (isPublishing) await LeaveUnreadAsync(connection);
        }
        catch (Exception e) when (e is OperationCanceledException or IOException or ConnectionAbortedException or ConnectionResetException)
        {
            // The client is gone.
        }
        finally
        {
            await connection.Transport.Output.CompleteAsync();
            await input.CompleteAsync();
        }
    }

    // A socket closed with something unread in it resets the connection, and an acknowledgement on its way would cost the client what it has
    // not read yet, the goodbye at least. Who acknowledges is still reading.
    private async Task LingerAsync(ConnectionContext connection)
    {
        using var limit = new CancellationTokenSource(LingerTime, clock);
        using var cancellation = CancellationTokenSource.CreateLinkedTokenSource(limit.Token, connection.ConnectionClosed);
        var input = connection.Transport.Input;
        var start = clock.GetTimestamp();
        while (await input.ReadAsync(cancellation.Token) is { IsCompleted: false, IsCanceled: false } read)
        {
            input.AdvanceTo(read.Buffer.End);
            if (clock.GetElapsedTime(start) < MaxLingerTime) limit.CancelAfter(LingerTime);
        }
    }

    private async Task PublishAsync(PublishStart start, AccessLevel level, ConnectionContext connection, SocketOutput output)
    {
        if (start.Encoding is not (Encoding.Auto or Encoding.Json or Encoding.Proto)) throw new GrpcException(GrpcStatusCode.InvalidArgument, "publish takes encoding json or proto");
        var input = connection.Transport.Input;
        using var publication = await api.PublishAsync(level, connection.ConnectionClosed);
        // A match with game data is too long for a line: it may be the first message.
        JsonLine.Write(output.Writer, new ServerMessage { Match = start.Match is { } match ? publication.Begin(match) : new Match() });
        await output.FlushAsync(connection.ConnectionClosed);
        await new PublishInput(input, start.Encoding, publication).RunAsync(connection.ConnectionClosed);
        if (!publication.IsFinished) return;
        ISessionWire wire = start.Encoding == Encoding.Proto ? new LengthPrefixedWire(input, output) : new JsonLineWire(input, output);
        wire.Write(new ServerMessage { Published = publication.Finish() });
        await wire.FlushAsync(CancellationToken.None);
        await LingerAsync(connection);
    }

    /// <summary>A bot that is refused may be in the middle of a long message: what it goes on to send must not cost it the reason.</summary>
    private async Task LeaveUnreadAsync(ConnectionContext connection)
    {
        try
        {
            await LingerAsync(connection);
        }
        catch (Exception e) when (e is OperationCanceledException or IOException or ConnectionAbortedException or ConnectionResetException)
        {
            // It is gone, or silent.
        }
    }

    private async Task<ClientMessage?> ReadFirstAsync(ConnectionContext connection)
    {
        using var limit = new CancellationTokenSource(HandshakeTimeout, clock);
        using var cancellation = CancellationTokenSource.CreateLinkedTokenSource(limit.Token, connection.ConnectionClosed);
        try
        {
            if (await JsonLine.ReadAsync(connection.Transport.Input, cancellation.Token, MaxFirstLineBytes) is not { } line) return null;
            var message = JsonLine.Parse(line);
            if (message is { Subscribe: null, Publish: null }) throw new GrpcException(GrpcStatusCode.InvalidArgument, "the first line must be {\"subscribe\":{...}}");
            return message;
        }
        catch (OperationCanceledException) when (limit.IsCancellationRequested)
        {
            throw new GrpcException(GrpcStatusCode.DeadlineExceeded, $"no line came within {HandshakeTimeout.TotalSeconds:0} s");
        }
    }

    private static string Peer(ConnectionContext connection) => connection.RemoteEndPoint is System.Net.IPEndPoint endpoint ? endpoint.ToString() : "unix";
}
