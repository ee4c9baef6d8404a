namespace Abathur.Compression;

/// <summary>Compressed data cannot be read, or a compression library is missing. The message says which.</summary>
public sealed class CompressionException : Exception
{
    public CompressionException(string message) : base(message) { }

    public CompressionException(string message, Exception inner) : base(message, inner) { }
}
