using Microsoft.Extensions.Logging;

namespace Abathur.Sync.Diagnostics;

/// <summary>Every log message of the daemon, each with an id of its own.</summary>
internal static partial class Log
{
    [LoggerMessage(1, LogLevel.Error, "{Method} failed")]
    public static partial void HandlerFailed(ILogger log, string method, Exception exception);
}
