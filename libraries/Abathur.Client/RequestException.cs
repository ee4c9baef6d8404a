namespace Abathur.Client;

/// <summary>The daemon refused a request, or ended a subscription.</summary>
public class RequestException : AbathurException
{
    /// <summary>A refusal, e.g. for a test.</summary>
    /// <param name="code">Why.</param>
    /// <param name="reason">What is wrong.</param>
    public RequestException(RequestErrorCode code, string reason) : this(RequestErrorCodes.NameOf(code.ToString()), reason) { }

    private RequestException(string status, string reason) : base($"{status}: {reason}") =>
        (Code, Reason) = (RequestErrorCodes.Parse(status), reason);

    /// <summary>Why; <see cref="RequestErrorCode.Unknown"/> for a code of a newer daemon.</summary>
    public RequestErrorCode Code { get; }

    /// <summary>What is wrong, as the daemon says it.</summary>
    public string Reason { get; }

    /// <summary>The exception for a request that was refused, as a transport gets it.</summary>
    /// <param name="status">Name of a gRPC status, e.g. <c>INVALID_ARGUMENT</c>.</param>
    /// <param name="reason">What is wrong, as the daemon says it.</param>
    public static RequestException OfRequest(string status, string reason) => new(status, reason);

    /// <summary>The exception that ends a subscription, as a transport gets it.</summary>
    /// <param name="status">Name of a gRPC status, e.g. <c>ABORTED</c>.</param>
    /// <param name="reason">Why, as the daemon says it.</param>
    public static RequestException OfSubscription(string status, string reason) => RequestErrorCodes.Parse(status) switch
    {
        RequestErrorCode.Aborted => new SourceLostException(reason),
        RequestErrorCode.ResourceExhausted => new SlowConsumerException(reason),
        RequestErrorCode.DeadlineExceeded => new AckTimeoutException(reason),
        _ => new RequestException(status, reason),
    };
}
