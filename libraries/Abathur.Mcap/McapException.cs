namespace Abathur.Mcap;

/// <summary>An MCAP file is damaged, cut, or uses what is not supported. The message says where and what was expected.</summary>
public sealed class McapException : Exception
{
    /// <param name="message">What is wrong and, where it helps, what to do.</param>
    /// <param name="offset">Position in the file that it is about, in bytes; -1 where there is none.</param>
    /// <param name="inner">What was behind it.</param>
    public McapException(string message, long offset = -1, Exception? inner = null) : base(message, inner) => Offset = offset;

    /// <summary>Position in the file that the message is about, in bytes; -1 where there is none.</summary>
    public long Offset { get; }

    /// <summary>Whether the file is sound but uses something that is not supported.</summary>
    public bool IsUnsupported { get; init; }
}
