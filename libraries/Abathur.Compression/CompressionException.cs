namespace Abathur.Compression;

/// <summary>Compressed data cannot be read, or a compression library is missing. The message says which.</summary>
public sealed class CompressionException : Exception
{
    /// <summary>With what is wrong.</summary>
    /// <param name="message">What is wrong.</param>
    public CompressionException(string message) : base(message) { }

    /// <summary>With what is wrong, and why.</summary>
    /// <param name="message">What is wrong.</param>
    /// <param name="inner">Why.</param>
    public CompressionException(string message, Exception inner) : base(message, inner) { }
}
