namespace Abathur.Sync.Recordings.Mcap;

/// <summary>Named strings about the recording.</summary>
/// <param name="Name">Name of the record.</param>
/// <param name="Values">Its keys and values.</param>
public sealed record McapMetadata(string Name, IReadOnlyDictionary<string, string> Values) : IMcapRecord
{
    /// <inheritdoc/>
    public McapOpcode Opcode => McapOpcode.Metadata;
}
