namespace Abathur.Sync.Recordings.Mcap;

/// <summary>Constants of the format.</summary>
internal static class McapFormat
{
    /// <summary>Opcode (1) and length of the content (8).</summary>
    public const int RecordHeaderBytes = 9;

    /// <summary>Content of a Footer record.</summary>
    public const int FooterContentBytes = 20;

    /// <summary>What a file starts and ends with.</summary>
    public static ReadOnlySpan<byte> Magic => [0x89, (byte)'M', (byte)'C', (byte)'A', (byte)'P', (byte)'0', (byte)'\r', (byte)'\n'];
}
