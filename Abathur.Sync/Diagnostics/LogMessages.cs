using Microsoft.Extensions.Logging;

namespace Abathur.Sync.Diagnostics;

/// <summary>Every message that the program logs, each with an id of its own. An id is never given to another message.</summary>
internal static partial class LogMessages
{
    /// <summary>Id of <see cref="Summary"/>, which has lines of its own instead of a prefix.</summary>
    public const int SummaryId = 30;

    // Of the daemon.

    [LoggerMessage(1, LogLevel.Error, "{Method} failed")]
    public static partial void HandlerFailed(ILogger log, string method, Exception exception);

    [LoggerMessage(2, LogLevel.Information, "subscriber {Id} \"{Name}\" from {Peer} by {Transport}: {Policy}, {Format}")]
    public static partial void Subscribed(ILogger log, ulong id, string name, string peer, string transport, string policy, string format);

    [LoggerMessage(
        3, LogLevel.Information,
        "subscriber {Id} \"{Name}\" from {Peer} disconnected ({Reason}): {FramesSent} frames sent, {FramesDropped} dropped, {BytesSent} "
            + "bytes")]
    public static partial void Unsubscribed(
        ILogger log, ulong id, string name, string peer, string reason, ulong framesSent, ulong framesDropped, ulong bytesSent);

    [LoggerMessage(4, LogLevel.Warning, "agents cannot find this match by its name: {Reason}")]
    public static partial void MatchNotListed(ILogger log, string reason);

    [LoggerMessage(
        5, LogLevel.Information,
        "the match is over; clients with the watch token see its end {Seconds:0.#} s later (Ctrl-C ends it at once)")]
    public static partial void EndIsShownLater(ILogger log, double seconds);

    [LoggerMessage(
        6, LogLevel.Warning,
        "--delay: frames that were dropped before they were shown, because they could not be kept or more waited than --history-mb allows: "
            + "{Count}")]
    public static partial void DelayedFramesDropped(ILogger log, ulong count);

    [LoggerMessage(7, LogLevel.Error, "--delay: the match cannot be shown any more")]
    public static partial void DelayFailed(ILogger log, Exception exception);

    // Of recordings.

    [LoggerMessage(10, LogLevel.Error, "recording to {File} failed: {Reason}. The match continues without it; {Rest}")]
    public static partial void RecordingFailed(ILogger log, string file, string reason, string rest);

    [LoggerMessage(11, LogLevel.Warning, "recording: {Problem}")]
    public static partial void RecordingMisplaced(ILogger log, string problem);

    [LoggerMessage(12, LogLevel.Warning, "{Advice}")]
    public static partial void UnfinishedRecordingFound(ILogger log, string advice);

    [LoggerMessage(
        13, LogLevel.Warning,
        "{File} is truncated ({Damage}): only the complete part is played. `{Command} recover {File}` makes a complete file of it.")]
    public static partial void RecordingTruncated(ILogger log, string file, string damage, string command);

    // Of sources.

    [LoggerMessage(20, LogLevel.Warning, "{Problem}")]
    public static partial void BotRefused(ILogger log, string problem);

    [LoggerMessage(21, LogLevel.Error, "the match cannot be published any more: {Failure}")]
    public static partial void PublishingFailed(ILogger log, string failure);

    [LoggerMessage(22, LogLevel.Information, "{Reason}")]
    public static partial void MatchEnded(ILogger log, string reason);

    [LoggerMessage(
        23, LogLevel.Warning, "messages that were relayed but neither published nor recorded, because this machine was too slow: {Count}")]
    public static partial void MessagesDropped(ILogger log, long count);

    [LoggerMessage(24, LogLevel.Warning, "messages that were relayed but cannot be parsed as protobuf of the StarCraft II API: {Count}")]
    public static partial void MessagesUnreadable(ILogger log, long count);

    [LoggerMessage(25, LogLevel.Information, "the bot is connected; waiting up to {Seconds:0.#} s for the game at {Game}: {Reason}")]
    public static partial void GameAwaited(ILogger log, string game, double seconds, string reason);

    // Of commands.

    [LoggerMessage(SummaryId, LogLevel.Information, "{Lines}")]
    public static partial void Summary(ILogger log, string lines);

    [LoggerMessage(31, LogLevel.Critical, "{Reason}")]
    public static partial void CommandFailed(ILogger log, string reason);

    [LoggerMessage(32, LogLevel.Warning, "other users of this machine can read {File}: chmod 600 it.")]
    public static partial void SecretFileReadable(ILogger log, string file);

    // Of the emulated game.

    [LoggerMessage(40, LogLevel.Warning, "{Problem}")]
    public static partial void EmulatorWarning(ILogger log, string problem);

    [LoggerMessage(41, LogLevel.Information, "{File}: matches {Matches}, observations {Observations}, actions {Actions}")]
    public static partial void EmulatorEnded(ILogger log, string file, int matches, long observations, long actions);

    // Of agents that the daemon runs.

    [LoggerMessage(50, LogLevel.Information, "{Line}")]
    public static partial void AgentOutput(ILogger log, string line);

    [LoggerMessage(51, LogLevel.Warning, "ended with exit code {ExitCode}; restarting it in {Seconds:0.#} s")]
    public static partial void AgentRestarts(ILogger log, int exitCode, double seconds);

    [LoggerMessage(52, LogLevel.Warning, "still running {Seconds:0} s after the match: killing it")]
    public static partial void AgentKilled(ILogger log, double seconds);

    // Of the relay to NATS.

    [LoggerMessage(60, LogLevel.Warning, "{Reason}")]
    public static partial void RelayEnded(ILogger log, string reason);

    [LoggerMessage(61, LogLevel.Warning, "{Reason}; trying again in {Seconds:0.#} s")]
    public static partial void RelayRestarts(ILogger log, string reason, double seconds);
}
