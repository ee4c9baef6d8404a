namespace Abathur.Client;

/// <summary>Why a daemon refused a request, or ended a subscription: a gRPC status. The name on the wire is that of the member in upper
/// snake case, e.g. <c>INVALID_ARGUMENT</c>.</summary>
public enum RequestErrorCode
{
    /// <summary>A code that this version of the library does not know. The exception's message begins with its name.</summary>
    Unknown,

    /// <summary>The request was cancelled.</summary>
    Cancelled,

    /// <summary>The request is invalid, whatever the state of the match.</summary>
    InvalidArgument,

    /// <summary>There was no answer in time, or a lockstep subscriber acknowledged no frame in time.</summary>
    DeadlineExceeded,

    /// <summary>The daemon does not know the run, or the match.</summary>
    NotFound,

    /// <summary>Another bot publishes already.</summary>
    AlreadyExists,

    /// <summary>The token does not allow the request.</summary>
    PermissionDenied,

    /// <summary>A limit is reached, or a lossless subscriber was too slow.</summary>
    ResourceExhausted,

    /// <summary>The source or the match is in a state in which this cannot be done, e.g. over.</summary>
    FailedPrecondition,

    /// <summary>The game, or the bot that publishes, disconnected during the match.</summary>
    Aborted,

    /// <summary>A game loop is not kept, or the actions are too late.</summary>
    OutOfRange,

    /// <summary>The daemon, or this way to it, does not have the request.</summary>
    Unimplemented,

    /// <summary>The daemon has an error of its own.</summary>
    Internal,

    /// <summary>The daemon is shutting down.</summary>
    Unavailable,

    /// <summary>Data is lost or damaged.</summary>
    DataLoss,

    /// <summary>The token is missing or unknown.</summary>
    Unauthenticated,
}
