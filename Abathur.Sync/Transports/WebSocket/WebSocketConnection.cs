using System.Diagnostics.CodeAnalysis;
using System.Net.WebSockets;
using System.Runtime.CompilerServices;
using System.Text.Unicode;
using Abathur.Sync.Frames;

namespace Abathur.Sync.Transports.WebSocket;

/// <summary>
/// Whole messages over a WebSocket, with a bound, and a close that says why. .NET's own WebSocket below it does the
/// framing, answers pings, checks UTF-8, and closes with 1002 or 1007 where the peer breaks the protocol. One task
/// receives, one sends.
/// </summary>
/// <param name="socket">The caller disposes it.</param>
/// <param name="maxMessageBytes">Longest message that is taken.</param>
/// <param name="closeTimeout">How long the peer may take nothing of a close, and then say nothing.</param>
/// <param name="clock">Clock of the timeout.</param>
/// <param name="abort">Cuts the connection off. Aborting the WebSocket alone would leave a write to a peer that takes nothing hanging.</param>
public sealed class WebSocketConnection(System.Net.WebSockets.WebSocket socket, int maxMessageBytes, TimeSpan closeTimeout, TimeProvider clock, Action abort) : IDisposable
{
    private const int SmallBytes = 4096;

    /// <summary>A peer that goes on sending after the close is heard for so many timeouts in all.</summary>
    private const int MaxCloseTimeouts = 5;

    /// <summary>So many fragments are taken in a row, before others get their turn.</summary>
    private const int FragmentsInARow = 64;

    private BlockPool.Block _block = BlockPool.Shared.Rent(SmallBytes);
    private Task<WebSocketInput>? _receiving;
    private bool _isDisposed;

    /// <summary>Longest message that is taken, from the next one on.</summary>
    public int MaxMessageBytes { get; set; } = maxMessageBytes;

    private byte[] Buffer => _block.Bytes;

    /// <summary>
    /// The next message; its bytes are valid until the next call. Cancelling gives up the wait, not what is on the way: the next call,
    /// or <see cref="CloseAsync"/>, goes on with it.
    /// </summary>
    public async ValueTask<WebSocketInput> ReceiveAsync(CancellationToken cancellation)
    {
        // .NET's own cancellation would abort the connection, and with it the chance to close it in good form.
        BeginReceive();
        var input = await _receiving.WaitAsync(cancellation);
        _receiving = null;
        return input;
    }

    /// <summary>Starts on the next message, and with it on the peer's pings and pongs, where nobody waits for it yet.</summary>
    [MemberNotNull(nameof(_receiving))]
    public void BeginReceive() => _receiving ??= ReceiveMessageAsync().AsTask();

    /// <summary>Sends one message in one frame. False when the peer is gone, or has closed.</summary>
    [AsyncMethodBuilder(typeof(PoolingAsyncValueTaskMethodBuilder<>))]
    public async ValueTask<bool> SendAsync(ReadOnlyMemory<byte> message, WebSocketMessageType type)
    {
        if (socket.State is not (WebSocketState.Open or WebSocketState.CloseReceived)) return false;
        try
        {
            // Without a token: .NET takes a shorter way, and whoever gives up on the peer aborts the connection.
            await socket.SendAsync(message, type, endOfMessage: true, CancellationToken.None);
            return true;
        }
        catch (Exception e) when (IsLost(e))
        {
            return false;
        }
    }

    /// <summary>
    /// Says why it is over, or answers the peer's close with its own status, and waits until the peer closes, or is silent for the timeout. A slow
    /// reader has messages before it then that only the system still holds, and gets them if the connection is left in peace, not cut off.
    /// </summary>
    public async Task CloseAsync(WebSocketCloseStatus status, string reason)
    {
        if (!await SendCloseAsync(status, reason)) return;
        // What the peer sent before it saw the close is read and forgotten: left unread, it would make the system drop what is on the way.
        var start = clock.GetTimestamp();
        while (socket.State == WebSocketState.CloseSent && clock.GetElapsedTime(start) < MaxCloseTimeouts * closeTimeout)
        {
            using var silence = new CancellationTokenSource(closeTimeout, clock);
            try
            {
                if ((await ReceiveAsync(silence.Token)).Kind is WebSocketInputKind.Closed or WebSocketInputKind.Lost) return;
            }
            catch (OperationCanceledException)
            {
                return;
            }
        }
    }

    /// <summary>Gives the memory back; where a receive is still on the way, which may write to it, when that has ended.</summary>
    public void Dispose()
    {
        if (_isDisposed) return;
        _isDisposed = true;
        if (_receiving is null or { IsCompleted: true }) _block.Dispose();
        else _ = DisposeAfterAsync(_receiving);
    }

    private async Task DisposeAfterAsync(Task receiving)
    {
        await receiving;
        _block.Dispose();
    }

    /// <summary>True when the peer's close is still to come.</summary>
    private async Task<bool> SendCloseAsync(WebSocketCloseStatus status, string reason)
    {
        using var limit = new CancellationTokenSource(closeTimeout, clock);
        // A peer that takes nothing does not take a close either.
        await using var aborting = limit.Token.Register(abort);
        try
        {
            if (socket.State == WebSocketState.CloseReceived)
            {
                await socket.CloseOutputAsync(socket.CloseStatus ?? WebSocketCloseStatus.Empty, socket.CloseStatus is null or WebSocketCloseStatus.Empty ? null : "", CancellationToken.None);
            }
            else if (socket.State == WebSocketState.Open)
            {
                await socket.CloseOutputAsync(status, reason, CancellationToken.None);
            }
        }
        catch (Exception e) when (IsLost(e))
        {
            // Closed in another way.
        }
        return socket.State == WebSocketState.CloseSent;
    }

    private async ValueTask<WebSocketInput> ReceiveMessageAsync()
    {
        if (Buffer.Length > 4 * SmallBytes) Resize(SmallBytes, keep: 0);
        // One byte more shows that a message is too long: a frame's own claim is not told here.
        var maxBytes = MaxMessageBytes + 1;
        var length = 0;
        try
        {
            for (var fragments = 1; ; fragments++)
            {
                if (fragments % FragmentsInARow == 0) await Task.Yield();
                if (length == Buffer.Length) Resize(2 * Buffer.Length, keep: length);
                var result = await socket.ReceiveAsync(Buffer.AsMemory(length, Math.Min(Buffer.Length, maxBytes) - length), CancellationToken.None);
                if (result.MessageType == WebSocketMessageType.Close) return new(WebSocketInputKind.Closed);
                length += result.Count;
                if (length >= maxBytes) return new(WebSocketInputKind.TooLong, result.MessageType);
                if (!result.EndOfMessage) continue;
                // .NET overlooks a character that is cut off by an empty last fragment.
                if (result.MessageType == WebSocketMessageType.Text && !Utf8.IsValid(Buffer.AsSpan(0, length))) return new(WebSocketInputKind.NotUtf8, result.MessageType);
                return new(WebSocketInputKind.Message, result.MessageType, Buffer.AsMemory(0, length));
            }
        }
        catch (Exception e) when (IsLost(e))
        {
            return new(WebSocketInputKind.Lost);
        }
    }

    private void Resize(int bytes, int keep)
    {
        var other = BlockPool.Shared.Rent(bytes);
        Buffer.AsSpan(0, keep).CopyTo(other.Bytes);
        _block.Dispose();
        _block = other;
    }

    private static bool IsLost(Exception e) => e is WebSocketException or IOException or OperationCanceledException or ObjectDisposedException or InvalidOperationException;
}
