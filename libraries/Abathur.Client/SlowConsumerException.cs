namespace Abathur.Client;

/// <summary>A lossless subscription has ended, because this reader was too slow.</summary>
public sealed class SlowConsumerException : RequestException
{
    internal SlowConsumerException(string reason) : base(RequestErrorCode.ResourceExhausted, reason) { }
}
