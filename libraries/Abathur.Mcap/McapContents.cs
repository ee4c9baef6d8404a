namespace Abathur.Mcap;

/// <summary>What is where in a file, from its summary or from going through it.</summary>
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

    /// <summary>Where the data section ends at the latest.</summary>
    public required long DataLimit { get; set; }
}
