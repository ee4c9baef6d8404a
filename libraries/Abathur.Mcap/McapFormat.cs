namespace Abathur.Mcap;

/// <summary>Constants of the file format.</summary>
public static class McapFormat
{
    /// <summary>Opcode (1) and length of the content (8).</summary>
    internal const int RecordHeaderBytes = 9;

    /// <summary>Content of a Footer record.</summary>
    internal const int FooterContentBytes = 20;

    /// <summary>The bytes at the start and the end of a file.</summary>
    public static ReadOnlySpan<byte> Magic => [0x89, (byte)'M', (byte)'C', (byte)'A', (byte)'P', (byte)'0', (byte)'\r', (byte)'\n'];
}
