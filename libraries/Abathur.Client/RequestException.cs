namespace Abathur.Client;

/// <summary>The daemon refused a request, or ended a subscription.</summary>
public class RequestException : AbathurException
{
    /// <summary>A refusal, as a transport gets it, or for a test.</summary>
    /// <param name="code">Name of a gRPC status.</param>
    /// <param name="reason">What is wrong.</param>
    public RequestException(string code, string reason) : base($"{code}: {reason}") => (Code, Reason) = (code, reason);

    /// <summary>Name of a gRPC status, e.g. <c>INVALID_ARGUMENT</c>.</summary>
    public string Code { get; }

    /// <summary>What is wrong, as the daemon says it.</summary>
    public string Reason { get; }

    /// <summary>The exception that ends a subscription.</summary>
    /// <param name="code">Name of a gRPC status.</param>
    /// <param name="reason">Why, as the daemon says it.</param>
    public static RequestException OfSubscription(string code, string reason) => code switch
    {
        "ABORTED" => new SourceLostException(reason),
        "RESOURCE_EXHAUSTED" => new SlowConsumerException(reason),
        "DEADLINE_EXCEEDED" => new AckTimeoutException(reason),
        _ => new RequestException(code, reason),
    };
}
