namespace Abathur.Sync.Recordings.Mcap;

/// <summary>The first record of a file.</summary>
/// <param name="Profile">Name of a set of conventions that the file follows; may be empty.</param>
/// <param name="Library">What wrote the file; may be empty.</param>
public sealed record McapHeader(string Profile, string Library) : IMcapRecord
{
    /// <inheritdoc/>
    public McapOpcode Opcode => McapOpcode.Header;
}
