namespace Abathur.Client;

/// <summary>The peer sent an invalid or oversized message, or a payload that is damaged or decompresses to more than allowed.</summary>
public sealed class ProtocolException : AbathurException
{
    /// <summary>With what is wrong.</summary>
    public ProtocolException(string message, Exception? inner = null) : base(message, inner) { }
}
