using System.Buffers;

namespace Abathur.Mcap;

/// <summary>Reads the messages of a file in file order, with one chunk in memory. Not thread-safe.</summary>
public sealed class McapMessageCursor : IDisposable
{
    private readonly McapReader _reader;
    private readonly ChunkBuffer _chunk = new();
    private byte[] _message = [];
    private long _next;
    private int _nextInChunk;

    internal McapMessageCursor(McapReader reader)
    {
        _reader = reader;
        _next = reader.DataStart;
        BlockOffset = -1;
    }

    /// <summary>The current message. Its data is a view that is valid until the cursor moves.</summary>
    public McapMessage Current { get; private set; }

    /// <summary>Offset of the record that holds <see cref="Current"/>: its Chunk, or the Message itself if it is outside of chunks. -1
    /// before the first.</summary>
    public long BlockOffset { get; private set; }

    /// <summary>Moves to the next message. False after the last.</summary>
    /// <exception cref="McapException">The file is damaged there.</exception>
    /// <exception cref="IOException">The file cannot be read.</exception>
    public bool MoveNext()
    {
        while (true)
        {
            if (MoveInChunk()) return true;
            if (_next >= _reader.DataLimit) return false;
            var header = _reader.Input.ReadHeader(_next, _reader.DataLimit);
            switch (header.Opcode)
            {
                case McapOpcode.Chunk:
                    _nextInChunk = 0;
                    BlockOffset = header.Offset;
                    _chunk.Load(_reader.Input, header);
                    break;
                case McapOpcode.Message:
                    BlockOffset = header.Offset;
                    Current = RecordParser.Message(_reader.Input.ReadContent(header, ref _message), header.Offset);
                    _next = header.End;
                    return true;
                case McapOpcode.DataEnd or McapOpcode.Footer:
                    return false;
            }
            _next = header.End;
        }
    }

    /// <summary>Moves the cursor before the first message of this record.</summary>
    /// <param name="blockOffset">Offset of a Chunk record, or of a Message record outside chunks.</param>
    public void MoveTo(long blockOffset)
    {
        ArgumentOutOfRangeException.ThrowIfNegative(blockOffset);
        Current = default;
        if (BlockOffset == blockOffset && !_chunk.Records.IsEmpty)
        {
            // The chunk is in memory, and `_next` is already the offset after it.
            _nextInChunk = 0;
            return;
        }
        _chunk.Clear();
        _nextInChunk = 0;
        BlockOffset = -1;
        _next = blockOffset;
    }

    /// <summary>Moves the cursor before the first message of the file.</summary>
    public void Rewind() => MoveTo(_reader.DataStart);

    /// <inheritdoc/>
    public void Dispose()
    {
        _chunk.Dispose();
        if (_message.Length > 0) ArrayPool<byte>.Shared.Return(_message);
        _message = [];
        Current = default;
        _next = long.MaxValue;
    }

    private bool MoveInChunk()
    {
        while (RecordWalk.TryNext(_chunk.Records, ref _nextInChunk, out var opcode, out var content))
        {
            if (opcode != McapOpcode.Message) continue;
            Current = RecordParser.Message(content, BlockOffset);
            return true;
        }
        if (_nextInChunk < _chunk.Records.Length)
            throw new McapException($"{_reader.Input.Name}: chunk at offset {BlockOffset} ends inside a record", BlockOffset);
        // Discard the previous chunk, so that a message outside of chunks is not attributed to it.
        if (!_chunk.Records.IsEmpty) _chunk.Clear();
        return false;
    }
}
