namespace Abathur.Mcap;

/// <summary>Collects the summary section while a file is written.</summary>
internal sealed class McapSummary
{
    private readonly SortedDictionary<ushort, ulong> _messageCounts = [];
    private ulong _firstTime, _lastTime;

    public Dictionary<ushort, McapSchema> Schemas { get; } = [];

    public Dictionary<ushort, McapChannel> Channels { get; } = [];

    public List<McapChunkIndex> Chunks { get; } = [];

    public List<McapAttachmentIndex> Attachments { get; } = [];

    public List<McapMetadataIndex> Metadata { get; } = [];

    public ulong MessageCount { get; private set; }

    /// <summary>Messages of a channel that have been written.</summary>
    public ulong MessagesOf(ushort channel) => _messageCounts.GetValueOrDefault(channel);

    /// <summary>Counts messages that have been written.</summary>
    public void Add(PendingMessages messages)
    {
        if (messages.Count == 0) return;
        foreach (var (channel, entries) in messages.Entries)
        {
            if (entries.Count > 0) _messageCounts[channel] = _messageCounts.GetValueOrDefault(channel) + (ulong)entries.Count;
        }
        _firstTime = MessageCount == 0 ? messages.FirstTime : Math.Min(_firstTime, messages.FirstTime);
        _lastTime = Math.Max(_lastTime, messages.LastTime);
        MessageCount += (ulong)messages.Count;
    }

    /// <summary>Writes the summary and returns where each kind of record is, for a buffer that starts at this offset of the file.</summary>
    public List<McapSummaryOffset> Write(RecordBuffer to, McapWriterOptions options, long bufferOffset)
    {
        var groups = new List<McapSummaryOffset>();
        Group(McapOpcode.Schema, options.RepeatedSchemas, () =>
        {
            foreach (var schema in Schemas.Values) RecordFormatter.Write(to, schema);
        });
        Group(McapOpcode.Channel, options.RepeatedChannels, () =>
        {
            foreach (var channel in Channels.Values) RecordFormatter.Write(to, channel);
        });
        Group(McapOpcode.Statistics, options.Statistics, () => RecordFormatter.Write(to, Statistics()));
        Group(McapOpcode.ChunkIndex, options.ChunkIndexes, () =>
        {
            foreach (var chunk in Chunks) RecordFormatter.Write(to, chunk);
        });
        Group(McapOpcode.AttachmentIndex, options.AttachmentIndexes, () =>
        {
            foreach (var attachment in Attachments) RecordFormatter.Write(to, attachment);
        });
        Group(McapOpcode.MetadataIndex, options.MetadataIndexes, () =>
        {
            foreach (var metadata in Metadata) RecordFormatter.Write(to, metadata);
        });
        return groups;

        void Group(McapOpcode opcode, bool wanted, Action write)
        {
            if (!wanted) return;
            var start = to.Length;
            write();
            if (to.Length > start) groups.Add(new McapSummaryOffset(opcode, (ulong)(bufferOffset + start), (ulong)(to.Length - start)));
        }
    }

    private McapStatistics Statistics() => new(
        MessageCount, (ushort)Schemas.Count, (uint)Channels.Count, (uint)Attachments.Count, (uint)Metadata.Count, (uint)Chunks.Count,
        _firstTime, _lastTime, new Dictionary<ushort, ulong>(_messageCounts));
}
