using System.Diagnostics.CodeAnalysis;
using System.Net.WebSockets;
using System.Runtime.CompilerServices;
using System.Text.Unicode;
using Abathur.Sync.Frames;

namespace Abathur.Sync.Transports.WebSocket;

/// <summary>
/// Complete messages over a WebSocket, with a size limit and a close reason. The underlying WebSocket of .NET does the framing, answers
/// pings, checks UTF-8, and closes with 1002 or 1007 if the peer breaks the protocol. One task receives, one sends.
/// </summary>
/// <param name="socket">The caller disposes it.</param>
/// <param name="maxMessageBytes">Longest message that is accepted.</param>
/// <param name="closeTimeout">How long sending the close may take, and then how long the peer may be silent.</param>
/// <param name="clock">Clock of the timeout.</param>
/// <param name="abort">Aborts the connection. Aborting only the WebSocket would not end a write to a peer that reads nothing.</param>
public sealed class WebSocketConnection(
    System.Net.WebSockets.WebSocket socket, int maxMessageBytes, TimeSpan closeTimeout, TimeProvider clock, Action abort) : IDisposable
{
    private const int SmallBytes = 4096;

    private const int PartBytes = 64 * 1024;

    /// <summary>For how many close timeouts the connection reads from a peer that keeps sending after the close.</summary>
    private const int MaxCloseTimeouts = 5;

    /// <summary>Fragments that are read in a row before the task yields.</summary>
    private const int FragmentsInARow = 64;

    private BlockPool.Block _block = BlockPool.Shared.Rent(SmallBytes);
    private Task<WebSocketInput>? _receiving;
    private bool _isDisposed;
    private int _heldBytes;

    /// <summary>Longest message that is accepted, from the next one on.</summary>
    public int MaxMessageBytes { get; set; } = maxMessageBytes;

    /// <summary>What messages that are not complete may have together with those of other connections; null: no limit, nor one of the
    /// time that a message takes.</summary>
    internal ByteBudget? Incomplete { get; init; }

    private byte[] Buffer => _block.Bytes;

    /// <summary>
    /// The next message; its bytes are valid until the next call. Cancellation ends only the wait: the next call,
    /// or <see cref="CloseAsync"/>, continues to receive the message.
    /// </summary>
    public async ValueTask<WebSocketInput> ReceiveAsync(CancellationToken cancellationToken)
    {
        // The cancellation of .NET would abort the connection, which could then not be closed with a close frame.
        BeginReceive();
        var input = await _receiving.WaitAsync(cancellationToken);
        _receiving = null;
        return input;
    }

    /// <summary>Starts to receive the next message before it is awaited, so that pings and pongs are processed.</summary>
    [MemberNotNull(nameof(_receiving))]
    public void BeginReceive() => _receiving ??= ReceiveMessageAsync().AsTask();

    /// <summary>Sends one message in one frame. False if the peer has disconnected or closed.</summary>
    public ValueTask<bool> SendAsync(ReadOnlyMemory<byte> message, WebSocketMessageType type) => SendAsync(message, type, isLast: true);

    /// <summary>Sends one long message in frames of <see cref="PartBytes"/>, each when the peer has taken the one before: .NET copies a
    /// frame that it sends, and a peer that reads nothing holds that memory. False if the peer has disconnected or closed.</summary>
    public async ValueTask<bool> SendInPartsAsync(ReadOnlyMemory<byte> message, WebSocketMessageType type)
    {
        while (message.Length > PartBytes)
        {
            if (!await SendAsync(message[..PartBytes], type, isLast: false)) return false;
            message = message[PartBytes..];
        }
        return await SendAsync(message, type, isLast: true);
    }

    [AsyncMethodBuilder(typeof(PoolingAsyncValueTaskMethodBuilder<>))]
    private async ValueTask<bool> SendAsync(ReadOnlyMemory<byte> part, WebSocketMessageType type, bool isLast)
    {
        if (socket.State is not (WebSocketState.Open or WebSocketState.CloseReceived)) return false;
        try
        {
            // Without a token .NET uses a faster path. To cancel, the connection is aborted.
            await socket.SendAsync(part, type, isLast, CancellationToken.None);
            return true;
        }
        catch (Exception e) when (IsLost(e))
        {
            return false;
        }
    }

    /// <summary>
    /// Sends a close with the reason, or answers the peer's close with the same status, and waits until the peer closes or is silent for
    /// the timeout. The operating system may still hold messages for a slow reader, which it gets if the connection is not aborted.
    /// </summary>
    public async Task CloseAsync(WebSocketCloseStatus status, string reason)
    {
        if (!await SendCloseAsync(status, reason)) return;
        // Read and discard what the peer sent before the close: unread input would make the operating system discard pending output.
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

    /// <summary>Returns the memory to the pool; if a receive is still running, which may write to it, after that has ended.</summary>
    public void Dispose()
    {
        if (_isDisposed) return;
        _isDisposed = true;
        if (_receiving is null or { IsCompleted: true }) Free();
        else _ = DisposeAfterAsync(_receiving);
    }

    private async Task DisposeAfterAsync(Task receiving)
    {
        await receiving;
        Free();
    }

    private void Free()
    {
        GiveBack();
        _block.Dispose();
    }

    /// <summary>True if the peer has not closed yet.</summary>
    private async Task<bool> SendCloseAsync(WebSocketCloseStatus status, string reason)
    {
        using var limit = new CancellationTokenSource(closeTimeout, clock);
        // A peer that reads nothing does not read a close, either.
        await using var aborting = limit.Token.Register(abort);
        try
        {
            if (socket.State == WebSocketState.CloseReceived)
            {
                await socket.CloseOutputAsync(socket.CloseStatus ?? WebSocketCloseStatus.Empty, socket.CloseStatus is null
                    or WebSocketCloseStatus.Empty ? null : "", CancellationToken.None);
            }
            else if (socket.State == WebSocketState.Open)
            {
                await socket.CloseOutputAsync(status, reason, CancellationToken.None);
            }
        }
        catch (Exception e) when (IsLost(e))
        {
            // Already closed.
        }
        return socket.State == WebSocketState.CloseSent;
    }

    private async ValueTask<WebSocketInput> ReceiveMessageAsync()
    {
        if (Buffer.Length > 4 * SmallBytes) Resize(SmallBytes, keep: 0);
        GiveBack();
        // One additional byte detects a message that is too long, because .NET does not expose the length of a frame.
        var maxBytes = MaxMessageBytes + 1;
        var length = 0;
        ITimer? limit = null;
        try
        {
            for (var fragments = 1; ; fragments++)
            {
                if (fragments % FragmentsInARow == 0) await Task.Yield();
                if (length == Buffer.Length && !TryGrow(length)) return new(WebSocketInputKind.NoRoom);
                var result = await socket.ReceiveAsync(
                    Buffer.AsMemory(length, Math.Min(Buffer.Length, maxBytes) - length), CancellationToken.None);
                if (result.MessageType == WebSocketMessageType.Close) return new(WebSocketInputKind.Closed);
                length += result.Count;
                if (length >= maxBytes) return new(WebSocketInputKind.TooLong, result.MessageType);
                if (!result.EndOfMessage)
                {
                    if (Incomplete is not null)
                        limit ??= clock.CreateTimer(_ => abort(), null, IncompleteMessages.TimeLimit, Timeout.InfiniteTimeSpan);
                    continue;
                }
                // .NET does not detect a character that is truncated before an empty last fragment.
                if (result.MessageType == WebSocketMessageType.Text && !Utf8.IsValid(Buffer.AsSpan(0, length)))
                    return new(WebSocketInputKind.NotUtf8, result.MessageType);
                return new(WebSocketInputKind.Message, result.MessageType, Buffer.AsMemory(0, length));
            }
        }
        catch (Exception e) when (IsLost(e))
        {
            // A ping stayed unanswered: .NET has ended the WebSocket, and would leave the connection open.
            if (e is OperationCanceledException && socket.State == WebSocketState.Aborted) abort();
            return new(WebSocketInputKind.Lost);
        }
        finally
        {
            limit?.Dispose();
        }
    }

    /// <summary>Makes the buffer larger, if incomplete messages of all connections leave room for it.</summary>
    private bool TryGrow(int length)
    {
        var bytes = 2 * Buffer.Length;
        if (Incomplete is not null && bytes > IncompleteMessages.FreeBytes)
        {
            if (!Incomplete.TryReserve(bytes - _heldBytes)) return false;
            _heldBytes = bytes;
        }
        Resize(bytes, keep: length);
        return true;
    }

    private void GiveBack()
    {
        Incomplete?.Release(_heldBytes);
        _heldBytes = 0;
    }

    private void Resize(int bytes, int keep)
    {
        var other = BlockPool.Shared.Rent(bytes);
        Buffer.AsSpan(0, keep).CopyTo(other.Bytes);
        _block.Dispose();
        _block = other;
    }

    private static bool IsLost(Exception e) =>
        e is WebSocketException or IOException or OperationCanceledException or ObjectDisposedException or InvalidOperationException;
}
