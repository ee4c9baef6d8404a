namespace Abathur.Sync.Requests;

/// <summary>Why a request is refused, or a subscription has ended. Names and numbers are those of gRPC's status codes, on every
/// transport.</summary>
public enum RequestStatus
{
    Ok = 0,
    Cancelled = 1,
    Unknown = 2,
    InvalidArgument = 3,
    DeadlineExceeded = 4,
    NotFound = 5,
    AlreadyExists = 6,
    PermissionDenied = 7,
    ResourceExhausted = 8,
    FailedPrecondition = 9,
    Aborted = 10,
    OutOfRange = 11,
    Unimplemented = 12,
    Internal = 13,
    Unavailable = 14,
    DataLoss = 15,
    Unauthenticated = 16,
}

/// <summary>Texts of <see cref="RequestStatus"/>.</summary>
public static class RequestStatusNames
{
    /// <summary>The name in the protocol, e.g. "INVALID_ARGUMENT".</summary>
    public static string ToName(this RequestStatus status) =>
        string.Concat(
            status.ToString().Select((letter, i) => i > 0 && char.IsUpper(letter) ? $"_{letter}" : $"{char.ToUpperInvariant(letter)}"));
}
