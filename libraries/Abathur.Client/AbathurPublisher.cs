using System.Buffers.Binary;
using Abathur.Sync.V1;
using Google.Protobuf;
using SC2APIProtocol;

namespace Abathur.Client;

/// <summary>Gives a bot's observations to a daemon that waits for them (<c>abathur serve</c>). Made by
/// <see cref="AbathurGame.PublishAsync"/>. One task at a time.</summary>
public sealed class AbathurPublisher : IDisposable
{
    private const int MaxHeadBytes = MessageReceiver.PrefixBytes + 1 + 5;
    private readonly DaemonAddress _address;
    private readonly DaemonConnection _connection;
    private byte[] _message = new byte[64 * 1024];

    private AbathurPublisher(DaemonAddress address, DaemonConnection connection) => (_address, _connection) = (address, connection);

    /// <summary>Gives the next observation. Waits where the daemon is slower.</summary>
    /// <param name="responseObservation">A serialized <c>ResponseObservation</c>, as the game answered it.</param>
    /// <param name="cancellation">Ends the wait; the connection cannot be used any more then.</param>
    /// <exception cref="ConnectionLostException">The daemon has closed the connection.</exception>
    /// <exception cref="RequestException">The daemon has refused something.</exception>
    public ValueTask PublishAsync(ReadOnlyMemory<byte> responseObservation, CancellationToken cancellation = default) =>
        SendAsync(PublishRequest.ObservationFieldNumber, responseObservation, cancellation);

    /// <summary>Gives the next observation.</summary>
    /// <remarks>As the other overload, which does not serialize.</remarks>
    public ValueTask PublishAsync(ResponseObservation observation, CancellationToken cancellation = default) =>
        PublishAsync(observation.ToByteArray(), cancellation);

    /// <summary>Says what the bot did upon the newest observation; it goes into the daemon's recording.</summary>
    /// <param name="requestAction">A serialized <c>RequestAction</c>.</param>
    /// <param name="cancellation">Ends the wait.</param>
    /// <exception cref="ConnectionLostException">The daemon has closed the connection.</exception>
    public ValueTask PublishActionsAsync(ReadOnlyMemory<byte> requestAction, CancellationToken cancellation = default) =>
        SendAsync(PublishRequest.ActionsFieldNumber, requestAction, cancellation);

    /// <summary>Says that nothing follows, and waits until the daemon has taken all. Without it agents are told that the bot was lost.
    /// </summary>
    /// <returns>Number of observations that the daemon has taken.</returns>
    /// <exception cref="ConnectionLostException">The daemon has closed the connection.</exception>
    /// <exception cref="RequestException">The daemon has refused something.</exception>
    public async Task<ulong> FinishAsync(CancellationToken cancellation = default)
    {
        await SendAsync(PublishRequest.EndFieldNumber, default, cancellation);
        try
        {
            while (true)
            {
                var bytes = await _connection.Receiver.NextAsync(cancellation);
                var message = ServerText.Parse(ServerMessage.Parser, bytes.Span);
                if (message.Error is { } error) throw new RequestException(error.Code, error.Message);
                if (message.Published is { } published) return published.Frames;
            }
        }
        catch (BrokenConnectionException e)
        {
            throw new ConnectionLostException(_address.ToString(), e.Message, 0, e.InnerException);
        }
    }

    /// <inheritdoc/>
    public void Dispose() => _connection.Dispose();

    internal static async Task<AbathurPublisher> OpenAsync(
        DaemonAddress address, Match? match, TimeSpan timeout, CancellationToken cancellation)
    {
        // The first line is short: game info and game data come as the first message.
        var isLong = match?.GameInfo is not null || match?.GameData is not null;
        var start = new PublishStart { Encoding = Sync.V1.Encoding.Proto, Match = isLong ? null : match };
        AbathurPublisher publisher;
        try
        {
            var first = new ClientMessage { Publish = start };
            publisher = new AbathurPublisher(address, await DaemonConnection.OpenAsync(address, first, false, timeout, cancellation));
        }
        catch (Exception e) when (e is BrokenConnectionException or DaemonStoppingException)
        {
            throw new ConnectException(address.ToString(), e.Message, e.InnerException);
        }
        if (!isLong) return publisher;
        try
        {
            await publisher.SendAsync(PublishRequest.MatchFieldNumber, match.ToByteArray(), cancellation);
            return publisher;
        }
        catch
        {
            publisher.Dispose();
            throw;
        }
    }

    /// <summary>Sends one field of <c>PublishRequest</c>, the length of the message in front.</summary>
    private async ValueTask SendAsync(int field, ReadOnlyMemory<byte> value, CancellationToken cancellation)
    {
        if (_message.Length < value.Length + MaxHeadBytes) _message = new byte[2 * (value.Length + MaxHeadBytes)];
        var at = MessageReceiver.PrefixBytes;
        _message[at++] = (byte)WireFormat.MakeTag(field, WireFormat.WireType.LengthDelimited);
        var rest = (uint)value.Length;
        for (; rest > 0x7f; rest >>= 7) _message[at++] = (byte)(rest | 0x80);
        _message[at++] = (byte)rest;
        value.Span.CopyTo(_message.AsSpan(at));
        at += value.Length;
        BinaryPrimitives.WriteInt32LittleEndian(_message, at - MessageReceiver.PrefixBytes);
        try
        {
            await _connection.SendAsync(_message.AsMemory(0, at), cancellation);
        }
        catch (BrokenConnectionException e)
        {
            throw new ConnectionLostException(_address.ToString(), await ReasonAsync(e), 0, e.InnerException);
        }
    }

    // A daemon that refuses says why before it closes.
    private async Task<string> ReasonAsync(BrokenConnectionException broken)
    {
        using var limit = new CancellationTokenSource(TimeSpan.FromSeconds(1));
        try
        {
            var bytes = await _connection.Receiver.NextAsync(limit.Token);
            return ServerText.Parse(ServerMessage.Parser, bytes.Span).Error?.Message ?? broken.Message;
        }
        catch (Exception e) when (e is BrokenConnectionException or OperationCanceledException or AbathurException)
        {
            return broken.Message;
        }
    }
}
