namespace Abathur.Mcap;

/// <summary>An MCAP file is damaged, truncated, or uses an unsupported feature. The message says where and what was expected.</summary>
public sealed class McapException : Exception
{
    /// <param name="message">What is wrong and, if possible, what to do.</param>
    /// <param name="offset">Position in the file, in bytes, or -1.</param>
    /// <param name="inner">The cause.</param>
    public McapException(string message, long offset = -1, Exception? inner = null) : base(message, inner) => Offset = offset;

    /// <summary>Position in the file, in bytes, or -1.</summary>
    public long Offset { get; }

    /// <summary>Whether the file is valid but uses an unsupported feature.</summary>
    public bool IsUnsupported { get; init; }
}
