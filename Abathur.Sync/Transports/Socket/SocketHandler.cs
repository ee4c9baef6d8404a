using Abathur.Sync.Access;
using Abathur.Sync.Requests;
using Abathur.Sync.V1;
using Microsoft.AspNetCore.Connections;
using Microsoft.AspNetCore.Connections.Features;
using Microsoft.AspNetCore.Http.Features;

namespace Abathur.Sync.Transports.Socket;

/// <summary>
/// The raw socket, TCP or Unix domain: the client's first line is JSON and subscribes, the answer is a line of JSON,
/// and then messages have the requested form; or the first line is a request, and all others are lines of JSON (docs/protocol.md).
/// </summary>
internal sealed class SocketHandler(SyncApi api, TimeProvider clock)
{
    /// <summary>Longest first line, before its token is known.</summary>
    internal const int MaxFirstLineBytes = 16 * 1024;

    /// <summary>How long a client may take for its first line.</summary>
    internal static TimeSpan HandshakeTimeout { get; } = TimeSpan.FromSeconds(8);

    /// <summary>How long a client may be silent after the last message before the connection is closed.</summary>
    internal static TimeSpan LingerTime { get; } = TimeSpan.FromSeconds(2);

    /// <summary>How long the daemon continues to read from a client that keeps sending.</summary>
    internal static TimeSpan MaxLingerTime { get; } = 5 * LingerTime;

    public async Task HandleAsync(ConnectionContext connection)
    {
        var input = connection.Transport.Input;
        // With TLS, the daemon cannot write to the socket directly.
        var isEncrypted = connection.Features.Get<ITlsHandshakeFeature>() is not null;
        using var output = new SocketOutput(
            connection.Features.GetRequiredFeature<IConnectionSocketFeature>().Socket, isEncrypted ? connection.Transport.Output : null);
        var isPublishing = false;
        try
        {
            var first = await ReadFirstAsync(connection);
            if (first is null) return;
            var level = api.LevelOf(first.Token);
            if (level != AccessLevel.None) UnauthenticatedConnections.Authenticated(connection.Features);
            if (first.Publish is { } start)
            {
                isPublishing = true;
                await PublishAsync(start, level, connection, output);
                return;
            }
            using var bounded = new BoundedInput(input, IncompleteMessages.OfProcess, clock);
            if (first.Subscribe is not { } request)
            {
                SyncApi.Require(AccessLevel.Watch, level);
                await new RequestSession(api, new JsonLineWire(bounded, output), level, connection.Abort).RunAsync(
                    first, connection.ConnectionClosed);
                await LingerAsync(connection);
                return;
            }
            if (level != AccessLevel.None) MatchMessages.Prepare(api.MatchOf(level));
            using var reader = await api.SubscribeAsync(request, TransportTraits.Socket, Peer(connection), level);
            using var aborting = reader.OnAborted(connection.Abort);
            output.Write(MatchMessages.Line(await SyncApi.WaitForMatchAsync(reader.Run, connection.ConnectionClosed)));
            ISessionWire wire = reader.Subscription.Options.Encoding == Encoding.Json
                ? new JsonLineWire(bounded, output)
                : new LengthPrefixedWire(bounded, output);
            await new SyncSession(api, wire, reader, level).RunAsync(connection.ConnectionClosed);
            await LingerAsync(connection);
        }
        catch (RefusedException e)
        {
            JsonLine.Write(
                output.Writer, new ServerMessage { Error = new Error { Code = e.Status.ToName(), Message = e.Message, Fatal = true } });
            await output.FlushAsync(CancellationToken.None);
            if (isPublishing) await LeaveUnreadAsync(connection);
        }
        catch (Exception e) when (e is OperationCanceledException or IOException or ConnectionAbortedException or ConnectionResetException)
        {
            // The client has disconnected.
        }
        finally
        {
            await connection.Transport.Output.CompleteAsync();
            await input.CompleteAsync();
        }
    }

    // Closing a socket with unread input resets the connection, and the client would lose what it has not read yet, at least the last
    // message. Therefore read until the client closes or is silent: a client that still sends acknowledgements is still reading.
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
        if (start.Encoding is not (Encoding.Auto or Encoding.Json or Encoding.Proto))
            throw new RefusedException(RequestStatus.InvalidArgument, "publish takes encoding json or proto");
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

    /// <summary>Reads on after a refusal: the bot may be sending a long message, and a reset of the connection would discard the
    /// reason.</summary>
    private async Task LeaveUnreadAsync(ConnectionContext connection)
    {
        try
        {
            await LingerAsync(connection);
        }
        catch (Exception e) when (e is OperationCanceledException or IOException or ConnectionAbortedException or ConnectionResetException)
        {
            // It has disconnected, or is silent.
        }
    }

    private async Task<ClientMessage?> ReadFirstAsync(ConnectionContext connection)
    {
        using var limit = new CancellationTokenSource(HandshakeTimeout, clock);
        using var cancellation = CancellationTokenSource.CreateLinkedTokenSource(limit.Token, connection.ConnectionClosed);
        try
        {
            var message = await JsonLine.ReadAsync(connection.Transport.Input, cancellation.Token, MaxFirstLineBytes, skipsBlank: false);
            if (message is { Subscribe: null, Publish: null } && !message.IsRequest())
                throw new RefusedException(RequestStatus.InvalidArgument, "the first line must be {\"subscribe\":{...}}, or a request");
            return message;
        }
        catch (OperationCanceledException) when (limit.IsCancellationRequested)
        {
            throw new RefusedException(RequestStatus.DeadlineExceeded, $"no line came within {HandshakeTimeout.TotalSeconds:0} s");
        }
    }

    private static string Peer(ConnectionContext connection) =>
        connection.RemoteEndPoint is System.Net.IPEndPoint endpoint ? endpoint.ToString() : "unix";
}
