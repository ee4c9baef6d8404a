using System.Buffers.Binary;
using System.Runtime.CompilerServices;

namespace Abathur.Client;

/// <summary>Splits the bytes of a connection into lines or length-prefixed messages. One task at a time.</summary>
internal sealed class MessageReceiver(DaemonSocket socket)
{
    /// <summary>Longest message that a daemon may send.</summary>
    public const int MaxMessageBytes = 64 * 1024 * 1024;

    /// <summary>Bytes of the length in front of a message.</summary>
    public const int PrefixBytes = 4;

    private const int MinRoomBytes = 64 * 1024;
    private byte[] _buffer = new byte[2 * MinRoomBytes];
    private int _start;
    private int _end;
    private int _searched;

    /// <summary>Whether messages have their length in front; else they are lines.</summary>
    public bool IsBinary { get; set; }

    /// <summary>Whether bytes were received that no message has taken.</summary>
    public bool HasBytes => _end > _start;

    /// <summary>The next message: a line without its end, or a message without its length. Valid until the next call.</summary>
    /// <exception cref="BrokenConnectionException">The connection ended before or within the message.</exception>
    /// <exception cref="ProtocolException">It is longer than <see cref="MaxMessageBytes"/>.</exception>
    [AsyncMethodBuilder(typeof(PoolingAsyncValueTaskMethodBuilder<>))]
    public async ValueTask<ReadOnlyMemory<byte>> NextAsync(CancellationToken cancellationToken)
    {
        ReadOnlyMemory<byte> message;
        while (!TryTake(out message, out var missing))
        {
            MakeRoom(missing);
            var received = await socket.ReceiveAsync(_buffer.AsMemory(_end), cancellationToken).ConfigureAwait(false);
            if (received == 0) throw new BrokenConnectionException("the daemon closed the connection");
            _end += received;
        }
        return message;
    }

    private bool TryTake(out ReadOnlyMemory<byte> message, out int missing) =>
        IsBinary ? TryTakePrefixed(out message, out missing) : TryTakeLine(out message, out missing);

    private bool TryTakePrefixed(out ReadOnlyMemory<byte> message, out int missing)
    {
        message = default;
        var waiting = _end - _start;
        missing = PrefixBytes - waiting;
        if (missing > 0) return false;
        var length = BinaryPrimitives.ReadUInt32LittleEndian(_buffer.AsSpan(_start));
        if (length > MaxMessageBytes) throw new ProtocolException($"a message of {length} bytes is over the limit of {MaxMessageBytes}");
        missing = PrefixBytes + (int)length - waiting;
        if (missing > 0) return false;
        message = _buffer.AsMemory(_start + PrefixBytes, (int)length);
        _start += PrefixBytes + (int)length;
        return true;
    }

    private bool TryTakeLine(out ReadOnlyMemory<byte> message, out int missing)
    {
        (message, missing) = (default, 1);
        _searched = Math.Max(_searched, _start);
        var found = _buffer.AsSpan(_searched, _end - _searched).IndexOf((byte)'\n');
        if (found < 0)
        {
            _searched = _end;
            if (_end - _start > MaxMessageBytes) throw new ProtocolException($"a line is longer than {MaxMessageBytes} bytes");
            return false;
        }
        message = _buffer.AsMemory(_start, _searched + found - _start);
        _start = _searched += found + 1;
        return true;
    }

    // A buffer grows by what has arrived, not by what a length announces: a hostile length alone takes no memory.
    private void MakeRoom(int missing)
    {
        var waiting = _end - _start;
        var needed = waiting + Math.Min(Math.Max(missing, MinRoomBytes), Math.Max(waiting, MinRoomBytes));
        if (_buffer.Length - _end >= Math.Min(missing, MinRoomBytes) && _buffer.Length - _start >= needed) return;
        var target = _buffer;
        if (target.Length < needed) target = new byte[Math.Max(needed, 2 * _buffer.Length)];
        _buffer.AsSpan(_start, waiting).CopyTo(target);
        _searched = Math.Max(0, _searched - _start);
        (_buffer, _start, _end) = (target, 0, waiting);
    }
}
