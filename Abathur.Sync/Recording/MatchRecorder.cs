using System.Threading.Channels;
using Abathur.Recordings;
using Abathur.Recordings.Files;
using Abathur.Sync.Frames;
using Abathur.Sync.Hub;
using Abathur.Sync.V1;

namespace Abathur.Sync.Recording;

/// <summary>
/// Records a running match behind a bounded queue, on a task of its own: the source never waits, neither for a slow disk nor for
/// a full one. What cannot be kept is counted (<see cref="Status"/>); after a failed write the file ends behind the last whole chunk, and
/// nothing more is written.
/// </summary>
/// <remarks>The file is written as <see cref="OutputFile"/> says, and takes its name when the recorder is disposed.</remarks>
public sealed class MatchRecorder : IAsyncDisposable
{
    /// <summary>Payload bytes that may wait for the disk: about 25 s of the largest frames.</summary>
    public const long MaxWaitingBytes = 64 * 1024 * 1024;

    /// <summary>How long a source waits for a disk that is too slow, once; after that it goes on without until there is room again.</summary>
    public static readonly TimeSpan MaxWait = TimeSpan.FromSeconds(10);

    private static readonly TimeSpan CheckInterval = TimeSpan.FromSeconds(1);

    private readonly Channel<Item> _items = Channel.CreateUnbounded<Item>(new UnboundedChannelOptions { SingleReader = true });
    private readonly OutputFile _file;
    private readonly RecordingOptions _options;
    private readonly Action<string> _onFailure;
    private readonly Stream _stream;
    private readonly Lock _gate = new();
    private readonly AsyncAutoResetEvent _room;
    private readonly TimeProvider _clock;
    private readonly TaskCompletionSource<RecordingMatch?> _match = new(TaskCreationOptions.RunContinuationsAsynchronously);
    private readonly Task _writing;
    private long _waitingBytes;
    private ulong _frames;
    private ulong _missed;
    private string? _error;
    private string? _problem;
    private long _lastCheck;
    private bool _waitedInVain;

    /// <param name="file">Where the recording goes; the recorder disposes it.</param>
    /// <param name="options">How it is written.</param>
    /// <param name="onFailure">Told once, in one line, when the recording fails; and when it is found, and at the end, that the file is not where it should be.</param>
    public MatchRecorder(OutputFile file, RecordingOptions options, Action<string> onFailure)
        : this(file, file.Stream, options, onFailure, TimeProvider.System)
    {
    }

    internal MatchRecorder(OutputFile file, Stream stream, RecordingOptions options, Action<string> onFailure, TimeProvider clock)
    {
        (_file, _stream, _options, _onFailure, _room, _clock) = (file, stream, options, onFailure, new AsyncAutoResetEvent(clock), clock);
        _lastCheck = clock.GetTimestamp();
        _writing = Task.Run(WriteAsync);
    }

    /// <summary>Whether the recording is complete, in whatever file <see cref="Status"/> names. False until it is disposed, and where writing failed.</summary>
    public bool IsComplete { get; private set; }

    /// <summary>How the recording goes. The error is set also where the recording is complete, but in another file than it was to be.</summary>
    public RecordingStatus Status
    {
        get
        {
            lock (_gate) return new RecordingStatus { Path = _file.Place, Frames = _frames, FramesMissed = _missed, Error = _error ?? _problem ?? "" };
        }
    }

    /// <summary>
    /// Waits until half of what may wait is written, for those who would rather wait than lose a frame; for a disk that hangs, <see cref="MaxWait"/>
    /// and not again before there is room. One waiter at a time.
    /// </summary>
    public async ValueTask WaitForRoomAsync()
    {
        while (IsHalfFull)
        {
            if (_waitedInVain) return;
            // A write that made no room yet does not signal.
            _waitedInVain = !await _room.WaitAsync(MaxWait);
        }
        _waitedInVain = false;
    }

    /// <summary>What is known about the match. Once, before anything else.</summary>
    public void Begin(RecordingMatch match) => _match.TrySetResult(match);

    /// <summary>Adds an observation, to which it takes a reference of its own.</summary>
    public void AddObservation(uint gameLoop, long capturedUnixNs, SharedBuffer observation)
    {
        observation.Retain();
        Add(new Item(ItemKind.Observation, gameLoop, capturedUnixNs, observation, default));
    }

    /// <summary>Adds a serialized <c>RequestAction</c>, which must not change afterwards.</summary>
    public void AddActions(uint gameLoop, long capturedUnixNs, ReadOnlyMemory<byte> requestAction) =>
        Add(new Item(ItemKind.Actions, gameLoop, capturedUnixNs, null, requestAction));

    /// <summary>Adds a serialized <c>ResponseGameInfo</c>; once.</summary>
    public void AddGameInfo(long capturedUnixNs, ReadOnlyMemory<byte> responseGameInfo) => Add(new Item(ItemKind.GameInfo, 0, capturedUnixNs, null, responseGameInfo));

    /// <summary>Adds a serialized <c>ResponseData</c>; once.</summary>
    public void AddGameData(long capturedUnixNs, ReadOnlyMemory<byte> responseData) => Add(new Item(ItemKind.GameData, 0, capturedUnixNs, null, responseData));

    /// <summary>Adds a serialized <c>Drawings</c>, which must not change afterwards.</summary>
    public void AddDrawings(uint gameLoop, long capturedUnixNs, ReadOnlyMemory<byte> drawings) => Add(new Item(ItemKind.Drawings, gameLoop, capturedUnixNs, null, drawings));

    /// <summary>Adds an event.</summary>
    public void AddEvent(long capturedUnixNs, Event matchEvent) => Add(new Item(ItemKind.Event, matchEvent.GameLoop, capturedUnixNs, null, default) { Event = matchEvent });

    /// <summary>Writes what waits and ends the file. One in which no match was begun is removed.</summary>
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
            // At least one fits, however large it is.
            if (_error is null && (_waitingBytes == 0 || _waitingBytes + item.Bytes <= MaxWaitingBytes) && _items.Writer.TryWrite(item))
            {
                _waitingBytes += item.Bytes;
                return;
            }
            if (item.Kind == ItemKind.Observation) _missed++;
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
            // Whatever it is, the match is not to suffer from it.
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
                case ItemKind.GameInfo: writer.WriteGameInfo(item.CapturedUnixNs, item.Data.Span); break;
                case ItemKind.GameData: writer.WriteGameData(item.CapturedUnixNs, item.Data.Span); break;
                case ItemKind.Event: writer.WriteEvent(item.CapturedUnixNs, item.Event!); break;
            }
        }
        catch when (item.Kind == ItemKind.Observation)
        {
            lock (_gate) _missed++;
            throw;
        }
        finally
        {
            item.Observation?.Release();
            lock (_gate) _waitingBytes -= bytes;
            if (!IsHalfFull) _room.Set();
        }
    }

    /// <summary>Looks once a second whether the file is still there, as a person can do something about it only during the match.</summary>
    private void CheckPlace()
    {
        if (_problem is not null || _clock.GetElapsedTime(_lastCheck) < CheckInterval) return;
        _lastCheck = _clock.GetTimestamp();
        if (!_file.IsInPlace) Report($"{_file.WritePath} was deleted, renamed or replaced by another program; the recording goes on and is saved under another name at the end");
    }

    private void Report(string problem)
    {
        lock (_gate) _problem = problem;
        _onFailure($"recording: {problem}");
    }

    private void Fail(RecordingWriter? writer, string why)
    {
        lock (_gate)
        {
            _error = why;
            // What was in a chunk that failed is not in the file.
            var frames = (ulong)(writer?.ObservationsWritten ?? 0);
            _missed += _frames - frames;
            _frames = frames;
        }
        _room.Set();
        _items.Writer.TryComplete();
        _onFailure($"recording to {_file.Place} failed: {why}. The match goes on without it; {Rest(writer)}");
    }

    /// <summary>What there is of the recording, for a person. A file in which nothing was recorded is not kept.</summary>
    private string Rest(RecordingWriter? writer)
    {
        if (writer is not { MessageCount: > 0 } || !_file.Keep()) return "nothing of it is kept";
        return writer.IsComplete
            ? $"what was recorded until then is in {_file.WritePath}, a whole file"
            : $"what was recorded until then is in {_file.WritePath}, which has no end (`abathur-sync recover` makes a whole file of it)";
    }

    /// <summary>Ends the file where there is still room for an end; one without can be recovered.</summary>
    private static void Abandon(RecordingWriter? writer)
    {
        try
        {
            writer?.Dispose();
        }
        catch (Exception)
        {
            // It has been told already.
        }
    }

    private async Task DropWhatWaitsAsync()
    {
        await foreach (var item in _items.Reader.ReadAllAsync())
        {
            item.Observation?.Release();
            if (item.Kind == ItemKind.Observation) lock (_gate) _missed++;
        }
    }

    private enum ItemKind
    {
        Observation,
        Actions,
        Drawings,
        GameInfo,
        GameData,
        Event,
    }

    private readonly record struct Item(ItemKind Kind, uint GameLoop, long CapturedUnixNs, SharedBuffer? Observation, ReadOnlyMemory<byte> Data)
    {
        // What an item costs besides its payload, so that many small ones are bounded as well.
        private const int OwnBytes = 128;

        public Event? Event { get; init; }

        public int Bytes => OwnBytes + (Observation?.CapacityBytes ?? Data.Length);
    }
}
