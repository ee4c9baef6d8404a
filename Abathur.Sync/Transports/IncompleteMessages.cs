using Abathur.Sync.Requests;

namespace Abathur.Sync.Transports;

/// <summary>
/// A limit on what clients have sent of messages that are not complete, of all connections to socket and WebSocket together: each may have
/// up to 1 MiB. gRPC has a limit of its own. Thread-safe.
/// </summary>
internal static class IncompleteMessages
{
    /// <summary>Bytes at once.</summary>
    public const long MaxBytes = 64 * 1024 * 1024;

    /// <summary>Less than this does not count: connections are limited too.</summary>
    public const int FreeBytes = 16 * 1024;

    /// <summary>How long a message may take from its first byte to its last.</summary>
    public static TimeSpan TimeLimit { get; } = TimeSpan.FromSeconds(10);

    /// <summary>That of the process.</summary>
    public static ByteBudget OfProcess { get; } = new(MaxBytes);

    /// <summary>What is said to a client whose message has no room.</summary>
    public static string NoRoom { get; } = $"unfinished messages of all clients have more than {MaxBytes} bytes: send it again later";

    /// <summary>What is said to a client that is too slow.</summary>
    public static RefusedException TooSlow() => new(
        RequestStatus.DeadlineExceeded, $"a message was not complete {TimeLimit.TotalSeconds:0} s after its first byte");
}
