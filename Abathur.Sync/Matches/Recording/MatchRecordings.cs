using Abathur.Recordings;
using Abathur.Recordings.Files;
using Abathur.Sync.Diagnostics;
using Abathur.Sync.V1;
using Microsoft.Extensions.Logging;
using SC2APIProtocol;

namespace Abathur.Sync.Matches.Recording;

/// <summary>Records the matches of a source, each into a file of its own. One that cannot be recorded does not stop the next.
/// Thread-safe.</summary>
public sealed class MatchRecordings : IAsyncDisposable
{
    /// <summary>Names that are passed over at most because something else than a file has them.</summary>
    private const int MaxOthers = 100;

    private readonly Lock _gate = new();
    private readonly RecordingNames _names;
    private readonly OutputOptions _files;
    private readonly RecordingOptions _options;
    private readonly ILogger _log;
    private readonly TimeProvider _clock;
    private readonly List<MatchRecorder> _running = [];
    private readonly List<Task> _ending = [];
    private MatchRecorder? _first;
    private (ulong Frames, ulong Dropped) _complete;

    /// <summary>Opens the file of the first match, or checks the folder.</summary>
    /// <param name="names">Where the files lie.</param>
    /// <param name="files">How existing files are treated; only the first may replace one.</param>
    /// <param name="options">How they are written.</param>
    /// <param name="log">Gets a message when a recording fails.</param>
    /// <param name="clock">Clock of the names.</param>
    /// <exception cref="RecordingException">The file exists, or its folder does not.</exception>
    /// <exception cref="IOException">Nothing can be written there.</exception>
    /// <exception cref="UnauthorizedAccessException">Nothing may be written there.</exception>
    public MatchRecordings(RecordingNames names, OutputOptions files, RecordingOptions options, ILogger log, TimeProvider clock)
    {
        (_names, _files, _options, _log, _clock) = (names, files, options, log, clock);
        if (names.First is { } file) _first = new MatchRecorder(new OutputFile(file, files), options, log);
        else names.CheckFolder();
    }

    /// <param name="first">Records the first match; there is no other.</param>
    internal MatchRecordings(MatchRecorder first)
    {
        (_names, _files, _options) = (RecordingNames.For("", null), new(), new());
        (_log, _clock, _first) = (ProgramLog.Logger, TimeProvider.System, first);
    }

    /// <summary>Whether a match could not be recorded whole, or its recording is not where it should be.</summary>
    public bool AnyFailed { get; private set; }

    /// <summary>The recording of the next match, where its file is open; null: it depends on the match.</summary>
    public RecordingStatus? Next => _first?.Status;

    /// <summary>Frames in all recordings, and frames that are missing in them.</summary>
    public (ulong Frames, ulong Dropped) Totals
    {
        get
        {
            lock (_gate) return _running.Aggregate(_complete, Add);
        }
    }

    /// <summary>Begins to record a match.</summary>
    /// <param name="match">The match.</param>
    /// <param name="info">Its game info; null: unknown.</param>
    /// <param name="failure">Why it is not recorded.</param>
    /// <returns>Null: it is not recorded.</returns>
    public MatchRecorder? Begin(RecordingMatch match, ResponseGameInfo? info, out RecordingStatus failure)
    {
        failure = new RecordingStatus();
        lock (_gate)
        {
            var candidates = _names.Of(match, info, _clock.GetLocalNow());
            if ((_first ?? Open(candidates, failure)) is not { } recorder) return null;
            _first = null;
            _running.Add(recorder);
            recorder.Begin(match);
            return recorder;
        }
    }

    /// <summary>Completes the recording of a match that is over, without waiting for it.</summary>
    /// <param name="recorder">The recorder.</param>
    /// <param name="completed">Called then.</param>
    public void End(MatchRecorder recorder, Action<MatchRecorder>? completed)
    {
        lock (_gate)
        {
            _ending.RemoveAll(task => task.IsCompleted);
            _ending.Add(EndAsync(recorder, completed));
        }
    }

    /// <summary>Waits until all recordings are complete. The file of a match that has not begun is removed.</summary>
    public async ValueTask DisposeAsync()
    {
        MatchRecorder[] running;
        Task[] ending;
        lock (_gate) (running, ending) = ([.. _running], [.. _ending]);
        foreach (var recorder in running) await recorder.DisposeAsync();
        await Task.WhenAll(ending);
        if (_first is { } first) await first.DisposeAsync();
        foreach (var recorder in running) Remove(recorder);
    }

    private async Task EndAsync(MatchRecorder recorder, Action<MatchRecorder>? completed)
    {
        await recorder.DisposeAsync();
        Remove(recorder);
        completed?.Invoke(recorder);
    }

    private void Remove(MatchRecorder recorder)
    {
        lock (_gate)
        {
            if (!_running.Remove(recorder)) return;
            AnyFailed |= recorder.Status.Error.Length > 0;
            _complete = Add(_complete, recorder);
        }
    }

    private static (ulong Frames, ulong Dropped) Add((ulong Frames, ulong Dropped) sum, MatchRecorder recorder)
    {
        var status = recorder.Status;
        return (sum.Frames + status.Frames, sum.Dropped + status.FramesDropped);
    }

    /// <summary>Opens the first file that does not exist, and that no other process writes.</summary>
    private MatchRecorder? Open(IEnumerable<string> candidates, RecordingStatus failure)
    {
        var others = 0;
        foreach (var path in candidates)
        {
            try
            {
                return new MatchRecorder(new OutputFile(path, _files with { Overwrite = false }), _options, _log);
            }
            catch (RecordingException e) when (e.Remedy == RecordingRemedy.Overwrite)
            {
                // Another match has this file.
            }
            catch (RecordingException) when (others < MaxOthers && Directory.Exists(Path.GetDirectoryName(Path.GetFullPath(path))))
            {
                // Another process writes it, or it is no file.
                others++;
            }
            catch (Exception e) when (e is RecordingException or IOException or UnauthorizedAccessException)
            {
                (failure.Path, failure.Error) = (path, e.Message);
                AnyFailed = true;
                LogMessages.RecordingFailed(_log, path, e.Message, "nothing of it was kept");
                return null;
            }
        }
        return null;
    }
}
