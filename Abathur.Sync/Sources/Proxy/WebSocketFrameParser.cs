using System.Buffers.Binary;
using System.Numerics;
using System.Runtime.InteropServices;

namespace Abathur.Sync.Sources.Proxy;

/// <summary>
/// Finds WebSocket frames (RFC 6455, section 5.2) in a stream of chunks with arbitrary boundaries, without copying them. It does not
/// validate: frames that break the protocol are relayed and marked as not readable.
/// </summary>
internal struct WebSocketFrameParser()
{
    private const int MaxHeaderBytes = 14;
    private const int MinHeaderBytes = 2;
    private readonly byte[] _header = new byte[MaxHeaderBytes];
    private int _headerBytes;
    private int _headerNeeded = MinHeaderBytes;
    private ulong _payloadLeft;
    private uint _mask;
    private bool _inMessage;
    private bool _messageIsReadable;
    private bool _lost;

    /// <summary>Whether neither a frame nor a message is incomplete.</summary>
    public readonly bool IsAtBoundary => _headerBytes == 0 && !_inMessage;

    private readonly int Opcode => _header[0] & 0x0f;

    private readonly bool IsControl => Opcode >= 8;

    private readonly bool IsClose => Opcode == 8;

    /// <summary>The next part of a chunk from <paramref name="position"/> on, which is advanced past it; false at the end of the
    /// chunk.</summary>
    public bool TryNext(ReadOnlySpan<byte> chunk, ref int position, out WebSocketPart part)
    {
        var start = position;
        part = default;
        if (start == chunk.Length) return false;
        if (_lost)
        {
            position = chunk.Length;
            part = new WebSocketPart(start, position, position);
            return true;
        }
        var beginsFrame = _headerBytes == 0;
        var opens = beginsFrame && BeginFrame(chunk[start]);
        if (!TakeHeader(chunk, ref position))
        {
            part = new WebSocketPart(start, position, position) { IsControl = IsControl, Opens = opens };
            return true;
        }
        var payloadStart = position;
        var taken = (int)Math.Min(_payloadLeft, (ulong)(chunk.Length - position));
        position += taken;
        var left = _payloadLeft;
        var isReadable = _messageIsReadable;
        _payloadLeft -= (ulong)taken;
        var closes = _payloadLeft == 0 && EndFrame();
        part = new WebSocketPart(start, payloadStart, position)
        {
            IsControl = IsControl,
            IsClose = IsClose,
            Opens = opens,
            Closes = closes,
            IsReadable = isReadable && !IsControl,
            FrameBytesLeft = left,
            Mask = _mask,
        };
        // The mask of the next part begins where this one ended.
        _mask = BitConverter.IsLittleEndian
            ? BitOperations.RotateRight(_mask, 8 * (taken & 3))
            : BitOperations.RotateLeft(_mask, 8 * (taken & 3));
        return true;
    }

    /// <summary>Masks or unmasks the payload of a part (the operation is its own inverse).</summary>
    public static void Unmask(Span<byte> payload, uint mask)
    {
        if (mask == 0) return;
        Span<byte> key = stackalloc byte[sizeof(ulong)];
        MemoryMarshal.Write(key, mask);
        MemoryMarshal.Write(key[sizeof(uint)..], mask);
        var wide = MemoryMarshal.Read<ulong>(key);
        var words = MemoryMarshal.Cast<byte, ulong>(payload);
        for (var i = 0; i < words.Length; i++) words[i] ^= wide;
        for (var i = words.Length * sizeof(ulong); i < payload.Length; i++) payload[i] ^= key[i % sizeof(uint)];
    }

    /// <summary>Whether the frame that begins with this byte opens a message.</summary>
    private bool BeginFrame(byte first)
    {
        _header[0] = first;
        if (IsControl || Opcode == 0) return false;
        const int Text = 1;
        const int Binary = 2;
        const int ReservedBits = 0x70;
        _inMessage = true;
        _messageIsReadable = Opcode is Text or Binary && (first & ReservedBits) == 0;
        return true;
    }

    /// <summary>Reads header bytes of the chunk; true if the header is complete.</summary>
    private bool TakeHeader(ReadOnlySpan<byte> chunk, ref int position)
    {
        if (_headerBytes == _headerNeeded) return true;
        while (_headerBytes < _headerNeeded)
        {
            if (position == chunk.Length) return false;
            _header[_headerBytes++] = chunk[position++];
            if (_headerBytes == MinHeaderBytes) _headerNeeded = MeasureHeader(_header[1]);
        }
        ReadHeader();
        return true;
    }

    private void ReadHeader()
    {
        var length = (ulong)(_header[1] & 0x7f);
        var rest = _header.AsSpan(MinHeaderBytes);
        if (length == 126)
        {
            length = BinaryPrimitives.ReadUInt16BigEndian(rest);
            rest = rest[2..];
        }
        else if (length == 127)
        {
            length = BinaryPrimitives.ReadUInt64BigEndian(rest);
            rest = rest[8..];
        }
        var isMasked = (_header[1] & 0x80) != 0;
        _mask = isMasked ? MemoryMarshal.Read<uint>(rest) : 0;
        _payloadLeft = length;
        // Such a length is not allowed, and the start of the next frame is unknown.
        _lost = length > long.MaxValue;
    }

    /// <summary>Whether the end of this frame ends a message.</summary>
    private bool EndFrame()
    {
        const int Final = 0x80;
        _headerBytes = 0;
        _headerNeeded = MinHeaderBytes;
        if (IsControl || (_header[0] & Final) == 0) return false;
        // A continuation without a first frame is not a message.
        _inMessage = _messageIsReadable = false;
        return true;
    }

    private static int MeasureHeader(byte second)
    {
        var length = (second & 0x7f) switch { 126 => 2, 127 => 8, _ => 0 };
        return MinHeaderBytes + length + ((second & 0x80) != 0 ? 4 : 0);
    }
}
