namespace Abathur.Sync.Requests;

/// <summary>Refuses a request of an agent, or ends its connection, with a reason for the agent. Each transport reports it in its own
/// way.</summary>
public sealed class RefusedException : Exception
{
    public RefusedException(RequestStatus status, string message)
        : base(message) => Status = status;

    /// <summary>The kind of reason.</summary>
    public RequestStatus Status { get; }
}
