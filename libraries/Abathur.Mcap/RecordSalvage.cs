using System.Buffers;

namespace Abathur.Mcap;

/// <summary>Copies every readable record of a file to a writer.</summary>
internal sealed class RecordSalvage(McapReader reader, McapWriter writer)
{
    private readonly HashSet<ushort> _schemas = [];
    private readonly Dictionary<ushort, string> _channels = [];
    private readonly Dictionary<string, long> _messagesByTopic = [];
    private long _messages, _chunks, _cutMessages, _damaged, _lostBytes;

    public McapRecoveryResult Run(IProgress<long>? progress, CancellationToken cancellationToken)
    {
        // A complete summary also has the schemas and channels of damaged chunks.
        foreach (var schema in reader.Schemas.Values) Add(schema);
        foreach (var channel in reader.Channels.Values) Add(channel);

        var input = reader.Input;
        var complete = false;
        using var chunk = new ChunkBuffer();
        byte[] buffer = [];
        var offset = reader.DataStart;
        while (true)
        {
            cancellationToken.ThrowIfCancellationRequested();
            if (!input.TryReadHeader(offset, input.Length, out var header))
            {
                SalvageTail(input, offset, chunk);
                break;
            }
            if (header.Opcode is McapOpcode.DataEnd or McapOpcode.Footer)
            {
                complete = reader.Footer is not null;
                break;
            }
            try
            {
                if (header.Opcode == McapOpcode.Chunk) AddChunk(input, header, chunk);
                else if (IsCarried(header.Opcode)) AddRecord(header.Opcode, input.ReadContent(header, ref buffer), header.Offset);
            }
            catch (McapException e) when (!e.IsUnsupported)
            {
                _damaged++;
                _lostBytes += header.End - header.Offset;
            }
            offset = header.End;
            progress?.Report(offset);
        }
        if (buffer.Length > 0) ArrayPool<byte>.Shared.Return(buffer);
        return new McapRecoveryResult(_messages, _messagesByTopic, _chunks, _cutMessages, _damaged, _lostBytes, complete
            && _damaged == 0
            && _lostBytes == 0);
    }

    private static bool IsCarried(McapOpcode opcode) => opcode is
        McapOpcode.Schema or McapOpcode.Channel or McapOpcode.Message or McapOpcode.Attachment or McapOpcode.Metadata;

    private void AddChunk(McapInput input, RecordHeader header, ChunkBuffer chunk)
    {
        chunk.Load(input, header);
        _chunks++;
        _lostBytes += chunk.Records.Length - AddRecords(chunk.Records, header.Offset);
    }

    private void SalvageTail(McapInput input, long offset, ChunkBuffer chunk)
    {
        var left = input.Length - offset;
        if (left <= 0) return;
        if (left > McapFormat.RecordHeaderBytes
            && input.TryReadHeader(offset, long.MaxValue, out var header)
            && header.Opcode == McapOpcode.Chunk)
        {
            try
            {
                chunk.LoadCut(input, header);
                var before = _messages;
                var used = AddRecords(chunk.Records, offset);
                _cutMessages = _messages - before;
                _lostBytes += used == 0 ? left : chunk.Records.Length - used;
                return;
            }
            catch (McapException e) when (!e.IsUnsupported)
            {
                // The chunk's header is incomplete.
            }
        }
        _lostBytes += left;
    }

    // Returns the bytes of the complete records.
    private int AddRecords(ReadOnlyMemory<byte> records, long offset)
    {
        var position = 0;
        while (RecordWalk.TryNext(records, ref position, out var opcode, out var content))
        {
            try
            {
                if (IsCarried(opcode)) AddRecord(opcode, content, offset);
            }
            catch (McapException)
            {
                _damaged++;
                _lostBytes += content.Length;
            }
        }
        return position;
    }

    private void AddRecord(McapOpcode opcode, ReadOnlyMemory<byte> content, long offset)
    {
        switch (opcode)
        {
            case McapOpcode.Schema: Add(RecordParser.Schema(content.Span, offset)); break;
            case McapOpcode.Channel: Add(RecordParser.Channel(content.Span, offset)); break;
            case McapOpcode.Message: Add(RecordParser.Message(content, offset)); break;
            case McapOpcode.Attachment:
                writer.WriteAttachment(RecordParser.Attachment(content.Span, offset, verifyCrc: true));
                break;
            case McapOpcode.Metadata:
                writer.WriteMetadata(RecordParser.Metadata(content.Span, offset));
                break;
        }
    }

    private void Add(McapSchema schema)
    {
        if (schema.Id != 0 && _schemas.Add(schema.Id)) writer.AddSchema(schema);
    }

    private void Add(McapChannel channel)
    {
        if (_channels.ContainsKey(channel.Id) || (channel.SchemaId != 0 && !_schemas.Contains(channel.SchemaId))) return;
        writer.AddChannel(channel);
        _channels[channel.Id] = channel.Topic;
        _messagesByTopic.TryAdd(channel.Topic, 0);
    }

    private void Add(in McapMessage message)
    {
        if (!_channels.TryGetValue(message.ChannelId, out var topic))
        {
            // Its schema or channel was in a lost part of the file.
            _damaged++;
            _lostBytes += message.Data.Length;
            return;
        }
        writer.WriteMessage(message.ChannelId, message.Sequence, message.LogTime, message.PublishTime, message.Data.Span);
        _messages++;
        _messagesByTopic[topic]++;
    }
}
