using System.Buffers;
using System.IO.Hashing;
using Abathur.Compression;

namespace Abathur.Mcap;

/// <summary>Writes an MCAP file, front to back. Not thread-safe.</summary>
/// <remarks>
/// Layout: magic, Header, chunks (each followed by its message indexes), attachments and metadata between them, DataEnd, summary,
/// Footer, magic. Each write to the stream has a whole number of records. A chunk is written at once when it is full, so a killed
/// process loses only the open chunk. After a failed write the file is truncated to its last complete record, and <see cref="Dispose"/>
/// tries to write the end of the file.
/// </remarks>
public sealed class McapWriter : IDisposable
{
    private readonly Stream _output;
    private readonly bool _leaveOpen;
    private readonly string _name;
    private readonly McapWriterOptions _options;
    private readonly ZstdCompressor? _compressor;
    private readonly McapSummary _summary = new();

    // Records of the open chunk; without chunks, records to be written.
    private readonly RecordBuffer _open;
    // The data of one write to the stream.
    private readonly RecordBuffer _block = new();
    private readonly PendingMessages _pending = new();

    // Position of the file in the stream.
    private readonly long _origin;
    private long _written;
    private readonly Crc32 _dataCrc = new();
    private bool _failed, _closed;

    /// <param name="output">Receives the file from its current position on, which is offset 0 of the file.</param>
    /// <param name="options">Format options.</param>
    /// <param name="leaveOpen">Whether the stream stays open when this is disposed.</param>
    /// <exception cref="IOException">The header could not be written.</exception>
    /// <exception cref="CompressionException">zstd is requested and libzstd is missing.</exception>
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

    /// <summary>Bytes written to the stream so far.</summary>
    public long BytesWritten => _written;

    /// <summary>Messages so far, including those of the open chunk; after a failed write only those in the file.</summary>
    public long MessageCount => (long)_summary.MessageCount + _pending.Count;

    /// <summary>
    /// Whether the file has its end. This may also be true after a failed write, if <see cref="Dispose"/> could write an end after the last
    /// complete record; the summary may be missing then, so that readers scan the file.
    /// </summary>
    public bool IsComplete => _closed;

    /// <summary>Whether something can still be written: the file is open, and no write has failed.</summary>
    public bool IsUsable => !_failed && !_closed && !_open.IsDisposed;

    /// <summary>Messages of a channel in the file, without those of the open chunk.</summary>
    public long MessagesWritten(ushort channelId) => (long)_summary.MessagesOf(channelId);

    /// <summary>Starts a file.</summary>
    /// <param name="path">The file. It is replaced if it exists.</param>
    /// <param name="options">Format options.</param>
    /// <exception cref="IOException">The file cannot be created or written.</exception>
    /// <exception cref="UnauthorizedAccessException">The file cannot be created.</exception>
    /// <exception cref="CompressionException">zstd is requested and libzstd is missing.</exception>
    public static McapWriter Create(string path, McapWriterOptions? options = null)
    {
        // Unbuffered: a chunk is one write.
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

    /// <summary>Adds a schema with a given id.</summary>
    /// <exception cref="ArgumentException">The id is 0 or taken.</exception>
    /// <exception cref="IOException">The write failed.</exception>
    public void AddSchema(McapSchema schema)
    {
        EnsureUsable();
        if (schema.Id == 0) throw new ArgumentException("A schema cannot have id 0.", nameof(schema));
        if (!_summary.Schemas.TryAdd(schema.Id, schema)) throw new ArgumentException($"Schema {schema.Id} already exists.", nameof(schema));
        RecordFormatter.Write(_open, schema);
        FlushIfFull();
    }

    /// <summary>Adds a channel and returns its id.</summary>
    /// <param name="schemaId">Its schema; 0 for none.</param>
    /// <param name="topic">Name of the channel.</param>
    /// <param name="messageEncoding">Encoding of its messages.</param>
    /// <param name="metadata">Further properties.</param>
    /// <exception cref="ArgumentException">The schema is unknown.</exception>
    /// <exception cref="IOException">The write failed.</exception>
    public ushort AddChannel(ushort schemaId, string topic, string messageEncoding, IReadOnlyDictionary<string, string>? metadata = null)
    {
        var id = checked((ushort)(_summary.Channels.Count == 0 ? 1 : _summary.Channels.Keys.Max() + 1));
        AddChannel(new McapChannel(id, schemaId, topic, messageEncoding, metadata ?? new Dictionary<string, string>()));
        return id;
    }

    /// <summary>Adds a channel with a given id.</summary>
    /// <exception cref="ArgumentException">The id is taken, or the schema unknown.</exception>
    /// <exception cref="IOException">The write failed.</exception>
    public void AddChannel(McapChannel channel)
    {
        EnsureUsable();
        if (channel.SchemaId != 0 && !_summary.Schemas.ContainsKey(channel.SchemaId))
            throw new ArgumentException($"Channel {channel.Topic} names schema {channel.SchemaId}, which was not added.", nameof(channel));
        if (!_summary.Channels.TryAdd(channel.Id, channel))
            throw new ArgumentException($"Channel {channel.Id} already exists.", nameof(channel));
        RecordFormatter.Write(_open, channel);
        FlushIfFull();
    }

    /// <summary>Adds a message.</summary>
    /// <param name="channelId">A channel that was added.</param>
    /// <param name="sequence">Sequence number of the publisher.</param>
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

    /// <summary>Ends the open chunk and passes it to the operating system. Everything written so far survives the end of the
    /// process.</summary>
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

    /// <summary>Writes the end of the file. Nothing can be written afterwards.</summary>
    /// <exception cref="IOException">The write failed; the message names the file.</exception>
    public void Close()
    {
        if (_closed) return;
        Flush();
        WriteEnd(withSummary: true);
    }

    /// <summary>
    /// Closes the file and the stream. Throws only if no earlier write has failed; after an earlier failure it writes the
    /// end of the file if possible.
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
        // A failed compression may have left data.
        _block.Clear();
        var records = _open.Written;
        var compression = _compressor is null ? "" : "zstd";
        var start = _block.Begin(McapOpcode.Chunk);
        _block.U64(_pending.FirstTime);
        _block.U64(_pending.LastTime);
        _block.U64((ulong)records.Length);
        _block.U32(Crc32.HashToUInt32(records));
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
        RecordFormatter.Write(_block, new McapDataEnd(_dataCrc.GetCurrentHashAsUInt32()));
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
        _block.U32(Crc32.HashToUInt32(_block.Written[summaryStart..]));
        _block.Raw(McapFormat.Magic);
        Put();
        _output.Flush();
        // Updated only after the write: until then the end is not part of the file.
        _written += _block.Length;
        _closed = true;
    }

    private void WriteBlock()
    {
        Put();
        _dataCrc.Append(_block.Written);
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
            // Unwritten messages are not in the file.
            _pending.Clear();
            // .NET reports a file that is too large for its file system (4 GB on FAT32) as an argument out of range.
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

    // Truncates the file after the last complete record, so that there is room for the end of the file.
    private void TryCloseAfterFailure()
    {
        if (_closed || _written == 0 || !_output.CanSeek) return;
        // A summary is long because of the schemas. A file is valid without one.
        if (Try(() => End(withSummary: true)) || Try(() => End(withSummary: false))) return;
        // Still no room: the file ends after the last complete chunk, and recovery reads all of it. If even truncation fails, recovery
        // skips the truncated record at the end.
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
            // The first failure was already reported.
        }
    }
}
