namespace Abathur.Client;

/// <summary>Base of all exceptions of this library.</summary>
/// <remarks>
/// <code>
/// AbathurException
/// ├── ConnectException             no daemon answers at the address
/// ├── ConnectionLostException      the connection broke, and reconnecting did not help
/// ├── RequestException             the daemon refused a request: Code says why
/// │   ├── SourceLostException      Aborted: the game, or the bot that publishes, disconnected during the match
/// │   ├── SlowConsumerException    ResourceExhausted: a lossless subscriber was too slow
/// │   └── AckTimeoutException      DeadlineExceeded: a lockstep subscriber did not acknowledge a frame in time
/// └── ProtocolException            the peer sent an invalid message, or a payload that cannot be decompressed
/// </code>
/// </remarks>
public abstract class AbathurException : Exception
{
    private protected AbathurException(string message, Exception? inner = null) : base(message, inner) { }
}
