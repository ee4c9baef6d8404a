namespace Abathur.Client;

/// <summary>The daemon refused a request, or ended a subscription.</summary>
public class RequestException : AbathurException
{
    internal RequestException(string code, string reason) : base($"{code}: {reason}") => (Code, Reason) = (code, reason);

    /// <summary>Name of a gRPC status, e.g. <c>INVALID_ARGUMENT</c>.</summary>
    public string Code { get; }

    /// <summary>What is wrong, as the daemon says it.</summary>
    public string Reason { get; }

    /// <summary>The exception that ends a subscription.</summary>
    internal static RequestException OfSubscription(string code, string reason) => code switch
    {
        "ABORTED" => new SourceLostException(reason),
        "RESOURCE_EXHAUSTED" => new SlowConsumerException(reason),
        "DEADLINE_EXCEEDED" => new AckTimeoutException(reason),
        _ => new RequestException(code, reason),
    };
}
