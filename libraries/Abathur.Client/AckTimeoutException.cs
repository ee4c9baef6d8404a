namespace Abathur.Client;

/// <summary>A lockstep subscription has ended, because this reader did not ask for the next frame in time.</summary>
public sealed class AckTimeoutException : RequestException
{
    internal AckTimeoutException(string reason) : base(RequestErrorCode.DeadlineExceeded, reason) { }
}
