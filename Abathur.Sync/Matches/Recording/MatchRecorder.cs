using System.Threading.Channels;
using Abathur.Recordings;
using Abathur.Recordings.Files;
using Abathur.Sync.Diagnostics;
using Abathur.Sync.Frames;
using Abathur.Sync.Hub.Scheduling;
using Abathur.Sync.V1;
using Microsoft.Extensions.Logging;

namespace Abathur.Sync.Matches.Recording;

/// <summary>
/// Records a running match with a bounded queue, on its own task: the source never waits, neither for a slow disk nor for
/// a full one. Frames that cannot be recorded are counted (<see cref="Status"/>). After a failed write the file ends after the last
/// complete chunk, and nothing more is written.
/// </summary>
/// <remarks>The file is an <see cref="OutputFile"/>, and gets its name when the recorder is disposed.</remarks>
public sealed class MatchRecorder : IAsyncDisposable
{
    /// <summary>Payload bytes that may be queued for the disk: about 25 s of the largest frames.</summary>
    public const long MaxWaitingBytes = 64 * 1024 * 1024;

    /// <summary>How long a source waits for a disk that is too slow. After that it does not wait again until there is room.</summary>
    public static readonly TimeSpan MaxWait = TimeSpan.FromSeconds(10);

    private static readonly TimeSpan CheckInterval = TimeSpan.FromSeconds(1);

    private readonly Channel<Item> _items = Channel.CreateUnbounded<Item>(new UnboundedChannelOptions { SingleReader = true });
    private readonly OutputFile _file;
    private readonly RecordingOptions _options;
    private readonly ILogger _log;
    private readonly Stream _stream;
    private readonly Lock _gate = new();
    private readonly AsyncAutoResetEvent _room;
    private readonly TimeProvider _clock;
    private readonly TaskCompletionSource<RecordingMatch?> _match = new(TaskCreationOptions.RunContinuationsAsynchronously);
    private readonly Task _writing;
    private long _waitingBytes;
    private ulong _frames;
    private ulong _framesDropped;
    private string? _error;
    private string? _problem;
    private long _lastCheck;
    private bool _waitedInVain;

    /// <param name="file">The file of the recording; the recorder disposes it.</param>
    /// <param name="options">How it is written.</param>
    /// <param name="log">Gets a message when the recording fails, when the file is found to be missing or replaced, and at the end if it
    /// was.</param>
    public MatchRecorder(OutputFile file, RecordingOptions options, ILogger log)
        : this(file, file.Stream, options, log, TimeProvider.System)
    {
    }

    internal MatchRecorder(OutputFile file, Stream stream, RecordingOptions options, ILogger log, TimeProvider clock)
    {
        (_file, _stream, _options, _log, _room, _clock) = (file, stream, options, log, new AsyncAutoResetEvent(clock), clock);
        _lastCheck = clock.GetTimestamp();
        _writing = Task.Run(WriteAsync);
    }

    /// <summary>Whether the file that <see cref="Status"/> names is complete. False until it is disposed, and if writing failed.</summary>
    public bool IsComplete { get; private set; }

    /// <summary>State of the recording. The error is also set if the recording is complete but in another file than intended.</summary>
    public RecordingStatus Status
    {
        get
        {
            lock (_gate)
                return new RecordingStatus
                {
                    Path = _file.Place,
                    Frames = _frames,
                    FramesDropped = _framesDropped,
                    Error = _error ?? _problem ?? "",
                };
        }
    }

    /// <summary>
    /// Waits until the queue is at most half full, for sources that can wait. If the disk hangs, it waits for <see cref="MaxWait"/> and not
    /// again before there is room. One waiter at a time.
    /// </summary>
    public async ValueTask WaitForRoomAsync()
    {
        while (IsHalfFull)
        {
            if (_waitedInVain) return;
            // A write that leaves the queue too full does not signal.
            _waitedInVain = !await _room.WaitAsync(MaxWait);
        }
        _waitedInVain = false;
    }

    /// <summary>Sets the match. Called once, before anything else.</summary>
    public void Begin(RecordingMatch match) => _match.TrySetResult(match);

    /// <summary>Adds an observation, and takes its own reference to it.</summary>
    public void AddObservation(uint gameLoop, long capturedUnixNs, SharedBuffer observation)
    {
        observation.Retain();
        Add(new Item(ItemKind.Observation, gameLoop, capturedUnixNs, observation, default));
    }

    /// <summary>Adds a serialized <c>RequestAction</c>, which must not change afterwards.</summary>
    public void AddActions(uint gameLoop, long capturedUnixNs, ReadOnlyMemory<byte> requestAction) =>
        Add(new Item(ItemKind.Actions, gameLoop, capturedUnixNs, null, requestAction));

    /// <summary>Adds a serialized <c>ResponseGameInfo</c>; once.</summary>
    public void AddGameInfo(long capturedUnixNs, ReadOnlyMemory<byte> responseGameInfo) =>
        Add(new Item(ItemKind.GameInfo, 0, capturedUnixNs, null, responseGameInfo));

    /// <summary>Adds a serialized <c>ResponseData</c>; once.</summary>
    public void AddGameData(long capturedUnixNs, ReadOnlyMemory<byte> responseData) =>
        Add(new Item(ItemKind.GameData, 0, capturedUnixNs, null, responseData));

    /// <summary>Adds a serialized <c>Drawings</c>, which must not change afterwards.</summary>
    public void AddDrawings(uint gameLoop, long capturedUnixNs, ReadOnlyMemory<byte> drawings) =>
        Add(new Item(ItemKind.Drawings, gameLoop, capturedUnixNs, null, drawings));

    /// <summary>Adds a serialized <c>Plots</c>, which must not change afterwards.</summary>
    public void AddPlots(uint gameLoop, long capturedUnixNs, ReadOnlyMemory<byte> plots) =>
        Add(new Item(ItemKind.Plots, gameLoop, capturedUnixNs, null, plots));

    /// <summary>Adds an event.</summary>
    public void AddEvent(long capturedUnixNs, Event matchEvent) =>
        Add(new Item(ItemKind.Event, matchEvent.GameLoop, capturedUnixNs, null, default) { Event = matchEvent });

    /// <summary>Writes the queue and ends the file. The file is removed if no match was begun.</summary>
    public async ValueTask DisposeAsync()
    {
        _match.TrySetResult(null);
        _items.Writer.TryComplete();
        await _writing;
        _file.Dispose();
        _room.Dispose();
    }

    private bool IsHalfFull
    {
        get
        {
            lock (_gate) return _error is null && _waitingBytes > MaxWaitingBytes / 2;
        }
    }

    private void Add(in Item item)
    {
        lock (_gate)
        {
            // One item is always accepted, however large it is.
            if (_error is null && (_waitingBytes == 0 || _waitingBytes + item.Bytes <= MaxWaitingBytes) && _items.Writer.TryWrite(item))
            {
                _waitingBytes += item.Bytes;
                return;
            }
            if (item.Kind == ItemKind.Observation) _framesDropped++;
        }
        item.Observation?.Release();
    }

    private async Task WriteAsync()
    {
        RecordingWriter? writer = null;
        try
        {
            if (await _match.Task is not { } match)
            {
                await DropWhatWaitsAsync();
                return;
            }
            writer = new RecordingWriter(_stream, match, _options, leaveOpen: true);
            await foreach (var item in _items.Reader.ReadAllAsync())
            {
                Write(writer, item);
                CheckPlace();
            }
            writer.Close();
            writer.Dispose();
            _file.Commit();
            if (_file.Problem is { } problem) Report(problem);
            IsComplete = true;
        }
        catch (Exception e)
        {
            // No error of the recording may affect the match.
            Abandon(writer);
            Fail(writer, e.Message);
            await DropWhatWaitsAsync();
        }
    }

    private void Write(RecordingWriter writer, in Item item)
    {
        var bytes = item.Bytes;
        try
        {
            switch (item.Kind)
            {
                case ItemKind.Observation:
                    writer.WriteObservation(item.GameLoop, item.CapturedUnixNs, item.Observation!.Span);
                    lock (_gate) _frames++;
                    break;
                case ItemKind.Actions: writer.WriteActions(item.GameLoop, item.CapturedUnixNs, item.Data.Span); break;
                case ItemKind.Drawings: writer.WriteDrawings(item.GameLoop, item.CapturedUnixNs, item.Data.Span); break;
                case ItemKind.Plots: writer.WritePlots(item.GameLoop, item.CapturedUnixNs, item.Data.Span); break;
                case ItemKind.GameInfo: writer.WriteGameInfo(item.CapturedUnixNs, item.Data.Span); break;
                case ItemKind.GameData: writer.WriteGameData(item.CapturedUnixNs, item.Data.Span); break;
                case ItemKind.Event: writer.WriteEvent(item.CapturedUnixNs, item.Event!); break;
            }
        }
        catch when (item.Kind == ItemKind.Observation)
        {
            lock (_gate) _framesDropped++;
            throw;
        }
        finally
        {
            item.Observation?.Release();
            lock (_gate) _waitingBytes -= bytes;
            if (!IsHalfFull) _room.Set();
        }
    }

    /// <summary>Checks once a second whether the file still exists, so that the user can react during the match.</summary>
    private void CheckPlace()
    {
        if (_problem is not null || _clock.GetElapsedTime(_lastCheck) < CheckInterval) return;
        _lastCheck = _clock.GetTimestamp();
        if (!_file.IsInPlace)
            Report($"{_file.WritePath} was deleted, renamed or replaced by another program; the recording continues and is saved under "
                + "another name at the end");
    }

    private void Report(string problem)
    {
        lock (_gate) _problem = problem;
        LogMessages.RecordingMisplaced(_log, problem);
    }

    private void Fail(RecordingWriter? writer, string why)
    {
        lock (_gate)
        {
            _error = why;
            // The frames of a failed chunk are not in the file; how many are left in a truncated one is not known.
            var frames = _file.IsTruncated ? 0 : (ulong)(writer?.ObservationsWritten ?? 0);
            _framesDropped += _frames - frames;
            _frames = frames;
        }
        _room.Set();
        _items.Writer.TryComplete();
        LogMessages.RecordingFailed(_log, _file.Place, why, Rest(writer));
    }

    /// <summary>Describes what is kept of the recording. A file without messages is removed.</summary>
    private string Rest(RecordingWriter? writer)
    {
        if (writer is not { MessageCount: > 0 } || !_file.Keep()) return "nothing of it was kept";
        if (_file.IsTruncated)
            return $"what is left of it is in {_file.WritePath} (`{ProgramName.Current} recover` makes a complete file of it)";
        return writer.IsComplete
            ? $"the part before the failure is complete in {_file.WritePath}"
            : $"the part before the failure is in {_file.WritePath}, which has no end "
                + $"(`{ProgramName.Current} recover` makes a complete file of it)";
    }

    /// <summary>Ends the file if there is still room for its end. A file without an end can be recovered.</summary>
    private static void Abandon(RecordingWriter? writer)
    {
        try
        {
            writer?.Dispose();
        }
        catch (Exception)
        {
            // The failure was already reported.
        }
    }

    private async Task DropWhatWaitsAsync()
    {
        await foreach (var item in _items.Reader.ReadAllAsync())
        {
            item.Observation?.Release();
            if (item.Kind == ItemKind.Observation) lock (_gate) _framesDropped++;
        }
    }

    private enum ItemKind
    {
        Observation,
        Actions,
        Drawings,
        Plots,
        GameInfo,
        GameData,
        Event,
    }

    private readonly record struct Item(
        ItemKind Kind, uint GameLoop, long CapturedUnixNs, SharedBuffer? Observation, ReadOnlyMemory<byte> Data)
    {
        // Size of an item besides its payload, so that the limit also applies to many small items.
        private const int OwnBytes = 128;

        public Event? Event { get; init; }

        public int Bytes => OwnBytes + (Observation?.CapacityBytes ?? Data.Length);
    }
}
