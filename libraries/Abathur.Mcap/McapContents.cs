namespace Abathur.Mcap;

/// <summary>The index of a file, from its summary or from a scan.</summary>
internal sealed class McapContents
{
    public Dictionary<ushort, McapSchema> Schemas { get; } = [];

    public Dictionary<ushort, McapChannel> Channels { get; } = [];

    public List<McapChunkIndex> Chunks { get; } = [];

    public List<McapAttachmentIndex> Attachments { get; } = [];

    public List<McapMetadataIndex> Metadata { get; } = [];

    public required McapStatistics Statistics { get; set; }

    public bool FromSummary { get; init; }

    public string? Damage { get; set; }

    /// <summary>Upper limit of the end of the data section.</summary>
    public required long DataLimit { get; set; }

    /// <summary>Adds a schema, or replaces the one with its id. Id 0 stands for no schema and is ignored.</summary>
    public void Add(McapSchema schema)
    {
        if (schema.Id != 0) Schemas[schema.Id] = schema;
    }

    /// <summary>Adds a channel, or replaces the one with its id.</summary>
    public void Add(McapChannel channel) => Channels[channel.Id] = channel;
}
