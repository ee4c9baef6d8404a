using System.Globalization;
using Abathur.Sync.Diagnostics;
using Abathur.Sync.Hub;
using Abathur.Sync.Matches.Recording;
using Abathur.Sync.Sources.Feed;
using Abathur.Sync.V1;

namespace Abathur.Sync.Cli;

/// <summary>The summary at the end of a match: why it ended, how long frames took, how many game loops were skipped, and the state of the
/// recording.</summary>
internal static class GameSummary
{
    /// <summary>Logs the summary of each match.</summary>
    /// <param name="tellsEnd">Whether to say why it ended; that it was lost is always said.</param>
    public static MatchEndHandler Handler(bool tellsEnd) => (end, times, recorder) =>
    {
        if (end is { IsOfMatch: true } && (tellsEnd || end.Reason == SubscriptionEndReason.SourceLost))
            LogMessages.MatchEnded(ProgramLog.Logger, end.Message);
        using var lines = new StringWriter(CultureInfo.InvariantCulture);
        if (times is not null) WriteTimes(lines, times);
        if (recorder is not null) WriteRecording(lines, recorder);
        if (lines.ToString().TrimEnd() is { Length: > 0 } text) LogMessages.Summary(ProgramLog.Logger, text);
    };

    private static void WriteTimes(TextWriter output, FrameTimes times)
    {
        var budget = times.ToBudget();
        var culture = CultureInfo.InvariantCulture;
        if (budget.Bot is { Frames: > 0 } bot)
        {
            output.WriteLine(string.Create(culture, $"{bot.Frames} frames, {budget.SkippedGameLoops} game loops skipped"));
            output.WriteLine("ms a frame       mean      p50      p99      max");
            WriteShare("game", budget.Game);
            WriteShare("bot", bot);
            WriteShare("daemon", budget.Daemon);
            WriteShare("agents", budget.Agent);
            var limits = budget.Limits.Select(limit => string.Create(culture, $"{limit.FramesOver} over {limit.Ms:0.#} ms ({limit.Name})"));
            output.WriteLine($"bot and daemon: {string.Join(", ", limits)}");
        }

        void WriteShare(string name, FrameBudget.Types.Share? share)
        {
            if (share is null or { MaxMs: 0 }) return;
            output.WriteLine(
                string.Create(culture, $"{name,-12} {share.MeanMs,8:0.00} {share.P50Ms,8:0.00} {share.P99Ms,8:0.00} {share.MaxMs,8:0.00}"));
        }
    }

    private static void WriteRecording(TextWriter output, MatchRecorder recorder)
    {
        var recording = recorder.Status;
        if (recording.Error.Length > 0 && !recorder.IsComplete)
            output.WriteLine($"recording: failed after {recording.Frames} frames, {recording.FramesDropped} not recorded");
        else if (recording.Frames > 0)
            output.WriteLine($"recording: {recording.Path}, {recording.Frames} frames, {recording.FramesDropped} dropped");
    }
}
