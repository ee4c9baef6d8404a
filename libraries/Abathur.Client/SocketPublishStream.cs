using System.Buffers.Binary;
using Abathur.Sync.V1;

namespace Abathur.Client;

/// <summary>Publishing over the socket: messages with their length in front.</summary>
internal sealed class SocketPublishStream(SocketConnection connection) : PublishStream
{
    private const int ValueStart = MessageReceiver.PrefixBytes + FieldHead.MaxBytes;
    private byte[] _message = new byte[64 * 1024];

    /// <inheritdoc/>
    public override async ValueTask SendAsync(int field, ReadOnlyMemory<byte> value, CancellationToken cancellationToken)
    {
        var end = ValueStart + value.Length;
        if (_message.Length < end) _message = new byte[2 * end];
        value.Span.CopyTo(_message.AsSpan(ValueStart));
        // The length stands before the head, however short that is.
        var start = FieldHead.WriteBefore(_message.AsSpan(MessageReceiver.PrefixBytes, FieldHead.MaxBytes), field, value.Length);
        BinaryPrimitives.WriteInt32LittleEndian(_message.AsSpan(start), end - start - MessageReceiver.PrefixBytes);
        try
        {
            await connection.SendAsync(_message.AsMemory(start, end - start), cancellationToken).ConfigureAwait(false);
        }
        catch (BrokenConnectionException e)
        {
            throw new BrokenConnectionException(await ReasonAsync(e).ConfigureAwait(false), e.InnerException);
        }
    }

    /// <inheritdoc/>
    public override async Task<ulong> FinishAsync(CancellationToken cancellationToken)
    {
        while (true)
        {
            var bytes = await connection.NextAsync(cancellationToken).ConfigureAwait(false);
            var message = ServerText.Parse<ServerMessage>(bytes.Span);
            if (message.Error is { } error) throw RequestException.OfRequest(error.Code, error.Message);
            if (message.Published is { } published) return published.Frames;
        }
    }

    /// <inheritdoc/>
    public override void Dispose() => connection.Dispose();

    // A daemon that refuses says why before it closes.
    private async Task<string> ReasonAsync(BrokenConnectionException broken)
    {
        using var limit = new CancellationTokenSource(TimeSpan.FromSeconds(1));
        try
        {
            var bytes = await connection.NextAsync(limit.Token).ConfigureAwait(false);
            return ServerText.Parse<ServerMessage>(bytes.Span).Error?.Message ?? broken.Message;
        }
        catch (Exception e) when (e is BrokenConnectionException or OperationCanceledException or AbathurException)
        {
            return broken.Message;
        }
    }
}
