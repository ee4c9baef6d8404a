using System.Buffers;
using Abathur.Compression;

namespace Abathur.Mcap;

/// <summary>Writes an MCAP file, front to back. Not thread-safe.</summary>
/// <remarks>
/// Layout: magic, Header, chunks (each followed by its message indexes), attachments and metadata between them, DataEnd, summary,
/// Footer, magic. Everything that is handed to the stream is a whole number of records; a chunk goes there in one write when it is
/// full, so that a process that is killed loses the open chunk and no more. After a failed write the file is cut back to what was
/// whole and <see cref="Dispose"/> tries to close it properly.
/// </remarks>
public sealed class McapWriter : IDisposable
{
    private readonly Stream _output;
    private readonly bool _leaveOpen;
    private readonly string _name;
    private readonly McapWriterOptions _options;
    private readonly ZstdCompressor? _compressor;
    private readonly McapSummary _summary = new();

    // Records of the open chunk; without chunks, records that wait to be written.
    private readonly RecordBuffer _open;
    // What goes to the stream in one write.
    private readonly RecordBuffer _block = new();
    private readonly PendingMessages _pending = new();

    // Where the file begins in the stream.
    private readonly long _origin;
    private long _written;
    private uint _dataCrc;
    private bool _failed, _closed;

    /// <param name="output">Where the file goes, from the current position on, which counts as 0.</param>
    /// <param name="options">What is written, and how.</param>
    /// <param name="leaveOpen">Whether the stream stays open when this is disposed.</param>
    /// <exception cref="IOException">The header could not be written.</exception>
    /// <exception cref="CompressionException">zstd is asked for and libzstd is missing.</exception>
    public McapWriter(Stream output, McapWriterOptions? options = null, bool leaveOpen = false)
    {
        _options = options ?? new McapWriterOptions();
        _options.Validate();
        _output = output;
        _leaveOpen = leaveOpen;
        _origin = output.CanSeek ? output.Position : 0;
        _name = output is FileStream file ? file.Name : "the recording";
        if (_options.Chunks && _options.Compression == McapCompression.Zstd) _compressor = new ZstdCompressor(_options.Level);
        _open = new RecordBuffer(_options.ChunkSizeBytes + _options.ChunkSizeBytes / 8);
        _block.Raw(McapFormat.Magic);
        RecordFormatter.Write(_block, new McapHeader(_options.Profile, _options.Library));
        WriteBlock();
    }

    /// <summary>Bytes that the stream has got so far.</summary>
    public long BytesWritten => _written;

    /// <summary>Messages so far, those of the open chunk included; after a failed write only those that are in the file.</summary>
    public long MessageCount => (long)_summary.MessageCount + _pending.Count;

    /// <summary>
    /// Whether the file has its end. Also after a failed write, where <see cref="Dispose"/> found room for one behind what was whole; the summary may be
    /// missing there, so that readers go through the file from the front.
    /// </summary>
    public bool IsComplete => _closed;

    /// <summary>Messages of a channel that are in the file: all but those of the open chunk.</summary>
    public long MessagesWritten(ushort channelId) => (long)_summary.MessagesOf(channelId);

    /// <summary>Starts a file.</summary>
    /// <param name="path">The file. It is replaced where it exists.</param>
    /// <param name="options">What is written, and how.</param>
    /// <exception cref="IOException">The file cannot be made or written.</exception>
    /// <exception cref="UnauthorizedAccessException">The file cannot be made.</exception>
    /// <exception cref="CompressionException">zstd is asked for and libzstd is missing.</exception>
    public static McapWriter Create(string path, McapWriterOptions? options = null)
    {
        // No buffer of its own: a chunk is one write.
        var file = new FileStream(path, FileMode.Create, FileAccess.Write, FileShare.Read, bufferSize: 0);
        try
        {
            return new McapWriter(file, options);
        }
        catch
        {
            file.Dispose();
            throw;
        }
    }

    /// <summary>Adds a schema and returns its id.</summary>
    /// <exception cref="IOException">The write failed.</exception>
    public ushort AddSchema(string name, string encoding, ReadOnlyMemory<byte> data)
    {
        var id = checked((ushort)(_summary.Schemas.Count == 0 ? 1 : _summary.Schemas.Keys.Max() + 1));
        AddSchema(new McapSchema(id, name, encoding, data));
        return id;
    }

    /// <summary>Adds a schema with an id of one's own choice.</summary>
    /// <exception cref="ArgumentException">The id is 0 or taken.</exception>
    /// <exception cref="IOException">The write failed.</exception>
    public void AddSchema(McapSchema schema)
    {
        EnsureUsable();
        if (schema.Id == 0) throw new ArgumentException("A schema cannot have id 0.", nameof(schema));
        if (!_summary.Schemas.TryAdd(schema.Id, schema)) throw new ArgumentException($"Schema {schema.Id} is there already.", nameof(schema));
        RecordFormatter.Write(_open, schema);
        FlushIfFull();
    }

    /// <summary>Adds a channel and returns its id.</summary>
    /// <param name="schemaId">Its schema; 0 for none.</param>
    /// <param name="topic">Name of the channel.</param>
    /// <param name="messageEncoding">How its messages are written.</param>
    /// <param name="metadata">Whatever else is to be known about it.</param>
    /// <exception cref="ArgumentException">The schema is unknown.</exception>
    /// <exception cref="IOException">The write failed.</exception>
    public ushort AddChannel(ushort schemaId, string topic, string messageEncoding, IReadOnlyDictionary<string, string>? metadata = null)
    {
        var id = checked((ushort)(_summary.Channels.Count == 0 ? 1 : _summary.Channels.Keys.Max() + 1));
        AddChannel(new McapChannel(id, schemaId, topic, messageEncoding, metadata ?? new Dictionary<string, string>()));
        return id;
    }

    /// <summary>Adds a channel with an id of one's own choice.</summary>
    /// <exception cref="ArgumentException">The id is taken, or the schema unknown.</exception>
    /// <exception cref="IOException">The write failed.</exception>
    public void AddChannel(McapChannel channel)
    {
        EnsureUsable();
        if (channel.SchemaId != 0 && !_summary.Schemas.ContainsKey(channel.SchemaId))
            throw new ArgumentException($"Channel {channel.Topic} names schema {channel.SchemaId}, which was not added.", nameof(channel));
        if (!_summary.Channels.TryAdd(channel.Id, channel))
            throw new ArgumentException($"Channel {channel.Id} is there already.", nameof(channel));
        RecordFormatter.Write(_open, channel);
        FlushIfFull();
    }

    /// <summary>Adds a message.</summary>
    /// <param name="channelId">A channel that was added.</param>
    /// <param name="sequence">Its number, as the publisher counts.</param>
    /// <param name="logTime">When it was recorded, in nanoseconds.</param>
    /// <param name="publishTime">When it was published, in nanoseconds.</param>
    /// <param name="data">The message. Copied.</param>
    /// <exception cref="ArgumentException">The channel is unknown.</exception>
    /// <exception cref="IOException">The write failed.</exception>
    public void WriteMessage(ushort channelId, uint sequence, ulong logTime, ulong publishTime, ReadOnlySpan<byte> data)
    {
        data.CopyTo(BeginMessage(channelId, sequence, logTime, publishTime, data.Length));
        FlushIfFull();
    }

    /// <inheritdoc cref="WriteMessage(ushort, uint, ulong, ulong, ReadOnlySpan{byte})"/>
    public void WriteMessage(ushort channelId, uint sequence, ulong logTime, ulong publishTime, in ReadOnlySequence<byte> data)
    {
        data.CopyTo(BeginMessage(channelId, sequence, logTime, publishTime, checked((int)data.Length)));
        FlushIfFull();
    }

    /// <summary>Writes an attachment at once, before the open chunk.</summary>
    /// <exception cref="IOException">The write failed.</exception>
    public void WriteAttachment(McapAttachment attachment)
    {
        EnsureUsable();
        if (!_options.Chunks) Flush();
        RecordFormatter.Write(_block, attachment);
        var index = new McapAttachmentIndex(
            (ulong)_written, (ulong)_block.Length, attachment.LogTime, attachment.CreateTime, (ulong)attachment.Data.Length,
            attachment.Name, attachment.MediaType);
        WriteBlock();
        _summary.Attachments.Add(index);
    }

    /// <summary>Writes a metadata record at once, before the open chunk.</summary>
    /// <exception cref="IOException">The write failed.</exception>
    public void WriteMetadata(McapMetadata metadata)
    {
        EnsureUsable();
        if (!_options.Chunks) Flush();
        RecordFormatter.Write(_block, metadata);
        var index = new McapMetadataIndex((ulong)_written, (ulong)_block.Length, metadata.Name);
        WriteBlock();
        _summary.Metadata.Add(index);
    }

    /// <summary>Ends the open chunk and hands it to the operating system. What was written so far survives the process.</summary>
    /// <exception cref="IOException">The write failed; the message names the file.</exception>
    public void Flush()
    {
        EnsureUsable();
        if (_open.Length == 0) return;
        if (_options.Chunks)
        {
            FlushChunk();
        }
        else
        {
            _block.Raw(_open.Written);
            WriteBlock();
        }
        _open.Clear();
        _summary.Add(_pending);
        _pending.Clear();
    }

    /// <summary>Ends the file properly. Nothing can be written afterwards.</summary>
    /// <exception cref="IOException">The write failed; the message names the file.</exception>
    public void Close()
    {
        if (_closed) return;
        Flush();
        WriteEnd(withSummary: true);
    }

    /// <summary>
    /// Closes the file and the stream. Throws only where closing is the first thing that fails; after an earlier failure it leaves
    /// the file closed if that is possible, else as it is.
    /// </summary>
    /// <exception cref="IOException">The write failed; the message names the file.</exception>
    public void Dispose()
    {
        if (_open.IsDisposed) return;
        try
        {
            if (_failed) TryCloseAfterFailure();
            else Close();
        }
        catch
        {
            TryCloseAfterFailure();
            throw;
        }
        finally
        {
            _open.Dispose();
            _block.Dispose();
            _compressor?.Dispose();
            if (!_leaveOpen) DisposeOutput();
        }
    }

    // opcode 1, length 8, channel 2, sequence 4, log time 8, publish time 8, data
    private Span<byte> BeginMessage(ushort channelId, uint sequence, ulong logTime, ulong publishTime, int bytes)
    {
        EnsureUsable();
        if (!_summary.Channels.ContainsKey(channelId))
            throw new ArgumentException($"Channel {channelId} was not added.", nameof(channelId));
        var record = _open.Length;
        _open.Reserve(McapFormat.RecordHeaderBytes + RecordParser.MessageHeaderBytes + bytes);
        _open.U8((byte)McapOpcode.Message);
        _open.U64((ulong)(RecordParser.MessageHeaderBytes + bytes));
        _open.U16(channelId);
        _open.U32(sequence);
        _open.U64(logTime);
        _open.U64(publishTime);
        var data = _open.Room(bytes);
        _open.Advance(bytes);
        _pending.Add(channelId, logTime, (ulong)record);
        return data;
    }

    private void FlushIfFull()
    {
        if (_open.Length >= _options.ChunkSizeBytes) Flush();
    }

    // first and last log time 8 + 8, size 8, CRC 4, compression string, stored records 8 + n
    private void FlushChunk()
    {
        // An attempt that ended in the compressor may have left something.
        _block.Clear();
        var records = _open.Written;
        var compression = _compressor is null ? "" : "zstd";
        var start = _block.Begin(McapOpcode.Chunk);
        _block.U64(_pending.FirstTime);
        _block.U64(_pending.LastTime);
        _block.U64((ulong)records.Length);
        _block.U32(Crc32.Append(0, records));
        _block.Text(compression);
        _block.U64(0);
        var stored = _block.Length;
        if (_compressor is null) _block.Raw(records);
        else _block.Advance(_compressor.Compress(records, _block.Room(ZstdCompressor.MaxCompressedBytes(records.Length))));
        var storedBytes = (ulong)(_block.Length - stored);
        _block.PatchU64(stored - 8, storedBytes);
        _block.End(start);

        var chunkLength = _block.Length;
        var offsets = new Dictionary<ushort, ulong>();
        if (_options.MessageIndexes)
        {
            foreach (var (channel, entries) in _pending.Entries)
            {
                if (entries.Count == 0) continue;
                offsets[channel] = (ulong)(_written + _block.Length);
                RecordFormatter.Write(_block, channel, entries);
            }
        }
        var index = new McapChunkIndex(
            _pending.FirstTime, _pending.LastTime, (ulong)_written, (ulong)chunkLength, offsets, (ulong)(_block.Length - chunkLength),
            compression, storedBytes, (ulong)records.Length);
        WriteBlock();
        _summary.Chunks.Add(index);
    }

    private void WriteEnd(bool withSummary)
    {
        RecordFormatter.Write(_block, new McapDataEnd(_dataCrc));
        var summaryStart = _block.Length;
        var groups = withSummary ? _summary.Write(_block, _options, _written) : [];
        var offsetStart = _block.Length;
        if (_options.SummaryOffsets)
        {
            foreach (var group in groups) RecordFormatter.Write(_block, group);
        }
        var hasSummary = offsetStart > summaryStart;
        var hasOffsets = _block.Length > offsetStart;
        // summary start 8, summary offset start 8, CRC from the summary up to here 4
        var footer = _block.Begin(McapOpcode.Footer);
        _block.PatchU64(footer - 8, McapFormat.FooterContentBytes);
        _block.U64(hasSummary ? (ulong)(_written + summaryStart) : 0);
        _block.U64(hasOffsets ? (ulong)(_written + offsetStart) : 0);
        _block.U32(Crc32.Append(0, _block.Written[summaryStart..]));
        _block.Raw(McapFormat.Magic);
        Put();
        _output.Flush();
        // Only now: until then the file ends where the end began.
        _written += _block.Length;
        _closed = true;
    }

    private void WriteBlock()
    {
        Put();
        _dataCrc = Crc32.Append(_dataCrc, _block.Written);
        _written += _block.Length;
        _block.Clear();
    }

    private void Put()
    {
        try
        {
            _output.Write(_block.Written);
        }
        catch (Exception e)
        {
            _failed = true;
            // What was not written is not in the file.
            _pending.Clear();
            // .NET reports a file that its file system takes no longer (4 GB on FAT32) as an argument out of range.
            if (e is not (IOException or ArgumentOutOfRangeException)) throw;
            throw new IOException($"cannot write {_name}: {e.Message.ReplaceLineEndings(" ")}", e);
        }
    }

    private void EnsureUsable()
    {
        ObjectDisposedException.ThrowIf(_open.IsDisposed, this);
        if (_failed) throw new IOException($"cannot write {_name}: an earlier write failed");
        if (_closed) throw new InvalidOperationException("The file is closed.");
    }

    // What failed is cut off again, so that the end of the file fits behind what is whole.
    private void TryCloseAfterFailure()
    {
        if (_closed || _written == 0 || !_output.CanSeek) return;
        // Schemas make a summary long. A file is whole without one.
        if (Try(() => End(withSummary: true)) || Try(() => End(withSummary: false))) return;
        // Still no room: the file ends with the last whole chunk, and recovery gives all of it. Where not even that can be done,
        // a cut record at the end does not keep recovery from the rest.
        Try(() => _output.SetLength(_origin + _written));

        void End(bool withSummary)
        {
            _output.SetLength(_origin + _written);
            _output.Position = _origin + _written;
            _block.Clear();
            WriteEnd(withSummary);
        }
    }

    private static bool Try(Action step)
    {
        try
        {
            step();
            return true;
        }
        catch (Exception e) when (e is IOException or NotSupportedException or UnauthorizedAccessException or ArgumentException)
        {
            return false;
        }
    }

    private void DisposeOutput()
    {
        try
        {
            _output.Dispose();
        }
        catch (IOException) when (_failed)
        {
            // It was reported when it failed first.
        }
    }
}
