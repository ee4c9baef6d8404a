using Abathur.Sync.Hub;
using Microsoft.Extensions.Logging;

namespace Abathur.Sync.Hosting;

/// <summary>Every log message of the daemon, each with an id of its own.</summary>
internal static partial class LogMessages
{
    /// <summary>A subscription has begun.</summary>
    public static void Subscribed(ILogger log, Subscription subscription)
    {
        if (!log.IsEnabled(LogLevel.Information)) return;
        var options = subscription.Options;
        Subscribed(log, subscription.Id, options.Name, options.Peer, options.Transport, options.Policy.ToString(), options.Format.ToString());
    }

    /// <summary>A subscription has ended.</summary>
    public static void Unsubscribed(ILogger log, Subscription subscription)
    {
        if (!log.IsEnabled(LogLevel.Information)) return;
        var status = subscription.Status(0);
        Unsubscribed(log, subscription.Id, status.Name, status.Peer, subscription.End?.Reason.ToString() ?? "Closed", status.FramesSent, status.FramesDropped, status.BytesSent);
    }

    [LoggerMessage(1, LogLevel.Error, "{Method} failed")]
    public static partial void HandlerFailed(ILogger log, string method, Exception exception);

    [LoggerMessage(2, LogLevel.Information, "subscriber {Id} \"{Name}\" from {Peer} by {Transport}: {Policy}, {Format}")]
    private static partial void Subscribed(ILogger log, ulong id, string name, string peer, string transport, string policy, string format);

    [LoggerMessage(3, LogLevel.Information, "subscriber {Id} \"{Name}\" from {Peer} disconnected ({Reason}): {FramesSent} frames sent, {FramesDropped} dropped, {BytesSent} bytes")]
    private static partial void Unsubscribed(ILogger log, ulong id, string name, string peer, string reason, ulong framesSent, ulong framesDropped, ulong bytesSent);
}
