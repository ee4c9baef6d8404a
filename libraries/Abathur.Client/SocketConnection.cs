using System.Buffers.Binary;
using Abathur.Sync.V1;
using Google.Protobuf;

namespace Abathur.Client;

/// <summary>A connection of the socket on which the first messages were exchanged: a subscription, or a publication.</summary>
internal sealed class SocketConnection : DaemonConnection
{
    private static readonly byte[] Probe = "{}\n"u8.ToArray();
    private readonly DaemonSocket _socket;
    private readonly bool _isJson;
    private readonly ClientMessage _ack = new() { Ack = new Ack() };
    private readonly byte[] _out = new byte[64];

    private SocketConnection(DaemonSocket socket, bool isJson)
    {
        (_socket, _isJson) = (socket, isJson);
        Receiver = new MessageReceiver(socket);
    }

    public MessageReceiver Receiver { get; }

    /// <inheritdoc/>
    public override bool IsJson => _isJson;

    /// <summary>Connects and sends the first message. Returns when the daemon has a match.</summary>
    /// <exception cref="BrokenConnectionException">Nothing answers.</exception>
    /// <exception cref="RequestException">The daemon refuses it.</exception>
    /// <exception cref="DaemonStoppingException">It is shutting down.</exception>
    public static async Task<SocketConnection> OpenAsync(
        DaemonAddress address, ClientMessage first, bool isJson, TimeSpan timeout, CancellationToken cancellationToken)
    {
        var socket = await DaemonSocket.OpenAsync(address, timeout, cancellationToken).ConfigureAwait(false);
        var connection = new SocketConnection(socket, isJson);
        try
        {
            first.Token = address.Token;
            await connection._socket.SendAsync(ServerText.ToLine(first), cancellationToken).ConfigureAwait(false);
            connection.ReadFirst(await connection.FirstLineAsync(address, timeout, cancellationToken).ConfigureAwait(false));
            connection.Receiver.IsBinary = !isJson;
            return connection;
        }
        catch
        {
            connection.Dispose();
            throw;
        }
    }

    /// <summary>Connects for requests, which are lines of JSON as their answers are.</summary>
    /// <exception cref="BrokenConnectionException">Nothing answers.</exception>
    public static async Task<SocketConnection> OpenForRequestsAsync(
        DaemonAddress address, TimeSpan timeout, CancellationToken cancellationToken) =>
        new(await DaemonSocket.OpenAsync(address, timeout, cancellationToken).ConfigureAwait(false), isJson: true);

    private void ReadFirst(ReadOnlyMemory<byte> line)
    {
        if (line.Span.StartsWith("{\"match\":"u8))
        {
            var kept = line.ToArray();
            Begin(new Lazy<Match>(() => MatchOf(ServerText.Parse(kept))), MatchHead.OfLine(kept));
            return;
        }
        var answer = ServerText.Parse(line.Span);
        if (answer.Error is not { } error)
        {
            var match = MatchOf(answer);
            Begin(new Lazy<Match>(() => match), MatchHead.Of(match));
            return;
        }
        throw error.Code == DaemonStoppingException.Code
            ? new DaemonStoppingException(error.Message)
            : RequestException.OfSubscription(error.Code, error.Message);
    }

    private static Match MatchOf(ServerMessage answer) => answer.Match ?? throw NotMatch(answer.MessageCase);

    /// <inheritdoc/>
    public override ValueTask<ReadOnlyMemory<byte>> NextAsync(CancellationToken cancellationToken) => Receiver.NextAsync(cancellationToken);

    /// <inheritdoc/>
    internal override ValueTask SendAsync(ClientMessage message, CancellationToken cancellationToken)
    {
        if (_isJson) return _socket.SendAsync(ServerText.ToLine(message), cancellationToken);
        return _socket.SendAsync(Prefixed(message.CalculateSize(), message), cancellationToken);
    }

    /// <summary>Sends bytes as they are.</summary>
    public ValueTask SendAsync(ReadOnlyMemory<byte> bytes, CancellationToken cancellationToken) =>
        _socket.SendAsync(bytes, cancellationToken);

    /// <summary>Acknowledges a frame, without allocating in binary form.</summary>
    public override ValueTask AcknowledgeAsync(ulong sequence, CancellationToken cancellationToken)
    {
        (_ack.Ack.Sequence, _ack.Ack.MatchIndex) = (sequence, MatchIndex);
        if (_isJson) return SendAsync(_ack, cancellationToken);
        var size = _ack.CalculateSize();
        WritePrefixed(_out, size, _ack);
        return _socket.SendAsync(_out.AsMemory(0, MessageReceiver.PrefixBytes + size), cancellationToken);
    }

    /// <inheritdoc/>
    protected override void Dispose(bool disposing) => _socket.Dispose();

    private static byte[] Prefixed(int size, IMessage message)
    {
        var bytes = new byte[MessageReceiver.PrefixBytes + size];
        WritePrefixed(bytes, size, message);
        return bytes;
    }

    private static void WritePrefixed(Span<byte> output, int size, IMessage message)
    {
        BinaryPrimitives.WriteInt32LittleEndian(output, size);
        message.WriteTo(output.Slice(MessageReceiver.PrefixBytes, size));
    }

    // The match may come much later, when it begins. Meanwhile this checks whether the daemon answers at all.
    private async Task<ReadOnlyMemory<byte>> FirstLineAsync(DaemonAddress address, TimeSpan timeout, CancellationToken cancellationToken)
    {
        var line = Receiver.NextAsync(cancellationToken).AsTask();
        while (true)
        {
            using var delay = CancellationTokenSource.CreateLinkedTokenSource(cancellationToken);
            var first = await Task.WhenAny(line, Task.Delay(timeout, delay.Token)).ConfigureAwait(false);
            await delay.CancelAsync().ConfigureAwait(false);
            if (first == line || line.IsCompleted) return await line.ConfigureAwait(false);
            if (!Receiver.HasBytes) await ProbeAsync(address, timeout, cancellationToken).ConfigureAwait(false);
        }
    }

    private static async Task ProbeAsync(DaemonAddress address, TimeSpan timeout, CancellationToken cancellationToken)
    {
        using var socket = await DaemonSocket.OpenAsync(address, timeout, cancellationToken).ConfigureAwait(false);
        using var limit = CancellationTokenSource.CreateLinkedTokenSource(cancellationToken);
        limit.CancelAfter(timeout);
        try
        {
            await socket.SendAsync(Probe, limit.Token).ConfigureAwait(false);
            await new MessageReceiver(socket).NextAsync(limit.Token).ConfigureAwait(false);
        }
        catch (OperationCanceledException) when (!cancellationToken.IsCancellationRequested)
        {
            throw new BrokenConnectionException($"it accepts connections, but does not answer within {timeout.TotalSeconds:g} s");
        }
    }
}
