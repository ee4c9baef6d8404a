using System.Collections.Concurrent;
using System.Runtime.CompilerServices;
using Abathur.Recordings;
using Abathur.Sync.Frames;
using Abathur.Sync.Hub;
using Abathur.Sync.Hub.Scheduling;
using Abathur.Sync.Matches;
using Abathur.Sync.V1;

namespace Abathur.Sync.Sources.Playback;

/// <summary>Plays a recording at the game's tick rate. One task reads and publishes; it executes commands between frames.</summary>
public sealed class PlaybackSource : IMatchSource, IPlaybackControl, IDisposable
{
    private const uint MaxSteps = 10_000;
    private readonly RecordingReader _recording;
    private readonly PlaybackOptions _options;
    private readonly TimeProvider _clock;
    private readonly TickPacer _pacer;
    private readonly RecordingOverview _overview;
    private readonly AsyncAutoResetEvent _wake;
    private readonly ConcurrentQueue<Command> _commands = new();
    private readonly uint _firstGameLoop;
    private readonly uint _lastGameLoop;
    private RecordedObservation? _next;
    private uint _stepsLeft;
    private bool _sought;
    private bool _paused;
    private bool _loop;
    private bool _ended;
    private bool _stopped;
    private uint? _gameLoop;
    private ulong _sequence;
    private readonly Lock _gate = new();
    private PlaybackPosition _position;

    /// <param name="recording">Open recording, which the source disposes.</param>
    /// <param name="options">How to play it.</param>
    /// <param name="clock">Clock of the ticks.</param>
    /// <exception cref="PlaybackException">An option is outside the recording.</exception>
    public PlaybackSource(RecordingReader recording, PlaybackOptions options, TimeProvider clock)
    {
        _recording = recording;
        _options = options;
        _clock = clock;
        var tickHz = options.TickHz ?? recording.Match.TickHz;
        (_firstGameLoop, _lastGameLoop) = Range(recording, options, tickHz);
        _overview = new RecordingOverview(recording.Mcap.Name, _firstGameLoop, _lastGameLoop);
        _pacer = new TickPacer(tickHz, clock) { Rate = CheckRate(options.Rate) };
        _wake = new AsyncAutoResetEvent(clock);
        _paused = options.StartPaused;
        _loop = options.Loop;
        Abilities = new MatchAbilities { Kind = SourceKind.Playback, CanWait = true, Control = this, Overview = _overview };
        Match = PlayedMatch.Describe(recording, tickHz, _firstGameLoop, _lastGameLoop);
        TakeNote();
    }

    public MatchAbilities Abilities { get; }

    public Match Match { get; }

    public PlaybackState State
    {
        get
        {
            PlaybackPosition position;
            lock (_gate) position = _position;
            var state = new PlaybackState
            {
                Paused = position.Paused,
                Rate = position.Rate,
                Sequence = position.Sequence,
                FirstGameLoop = _firstGameLoop,
                LastGameLoop = _lastGameLoop,
                Ended = position.Ended,
                Loop = position.Loop,
            };
            if (position.GameLoop is { } gameLoop) state.GameLoop = gameLoop;
            return state;
        }
    }

    private bool IsOver => _ended && !_loop;

    public async Task<SubscriptionEnd> RunAsync(IMatchSink sink, CancellationToken cancellationToken)
    {
        var run = sink.Begin(Match);
        await using var stopping = cancellationToken.Register(_wake.Set);
        try
        {
            await WaitForAgentsAsync(run, cancellationToken);
            GoToStart();
            while (!cancellationToken.IsCancellationRequested)
            {
                CarryOutCommands();
                if (IsOver)
                {
                    // A command that has come meanwhile may seek.
                    if (!_commands.IsEmpty) continue;
                    if (!_options.StayAtEnd) return new(SubscriptionEndReason.MatchOver, "end of recording");
                    StopAtEnd();
                    await _wake.WaitAsync();
                    continue;
                }
                if (_ended) GoToStart();
                if (WaitTime() is { } wait) await _wake.WaitAsync(wait);
                else await PublishAsync(run);
            }
            return new(SubscriptionEndReason.Stopping, "the daemon is shutting down");
        }
        finally
        {
            _stopped = true;
            RefuseCommands();
        }
    }

    public Task<PlaybackState> ControlAsync(ControlRequest request, CancellationToken cancellationToken)
    {
        Check(request);
        var command = new Command(request);
        _commands.Enqueue(command);
        _wake.Set();
        if (_stopped) RefuseCommands();
        return command.Done.Task.WaitAsync(cancellationToken);
    }

    public void Dispose()
    {
        _wake.Dispose();
        _overview.Dispose();
        _recording.Dispose();
    }

    private async Task WaitForAgentsAsync(MatchRun run, CancellationToken cancellationToken)
    {
        try
        {
            await run.Hub.WaitForSubscribersAsync(count => count >= _options.WaitForAgents, cancellationToken);
        }
        catch (OperationCanceledException)
        {
            // The daemon is shutting down, which the caller checks itself.
        }
    }

    /// <summary>How long to wait before the next check; null: the next frame is due.</summary>
    private TimeSpan? WaitTime()
    {
        if (_stepsLeft > 0) return null;
        if (_paused) return Timeout.InfiniteTimeSpan;
        var due = _pacer.DueIn(_next!.Value.GameLoop);
        // Timers have a resolution of 1 ms.
        return due < TimeSpan.FromMilliseconds(1) ? null : due;
    }

    [AsyncMethodBuilder(typeof(PoolingAsyncValueTaskMethodBuilder))]
    private async ValueTask PublishAsync(MatchRun run)
    {
        var isStep = _stepsLeft > 0;
        _sought = false;
        var observation = _next!.Value;
        var payload = SharedBuffer.CopyOf(observation.Payload.Span);
        _pacer.Advance(observation.GameLoop);
        run.Drawings.ShowRecorded(_recording.Drawings);
        var frame = SharedFrame.Rent(observation.GameLoop, FrameStamp.Now(_clock), payload);
        var publishing = run.PublishAsync(frame, isPaced: _pacer.Rate > 0);
        if (publishing.IsCompletedSuccessfully)
        {
            await publishing;
            // At an unlimited rate without lossless readers, the loop would never yield the thread.
            if (_pacer.Rate == 0) await Task.Yield();
        }
        else
        {
            await CarryOutCommandsUntilAsync(publishing.AsTask());
        }
        _gameLoop = observation.GameLoop;
        _sequence = run.Hub.Sequence;
        if (isStep && _stepsLeft > 0) _stepsLeft--;
        if (!_sought) ReadNext();
        TakeNote();
    }

    /// <summary>
    /// Executes commands while it waits for readers, because the command may come from the reader that it waits for.
    /// </summary>
    private async Task CarryOutCommandsUntilAsync(Task publishing)
    {
        _ = publishing.ContinueWith(
            static (_, wake) =>
                ((AsyncAutoResetEvent)wake!).Set(), _wake, CancellationToken.None, TaskContinuationOptions.ExecuteSynchronously,
                TaskScheduler.Default);
        while (!publishing.IsCompleted)
        {
            CarryOutCommands();
            await _wake.WaitAsync();
        }
        await publishing;
    }

    private void ReadNext()
    {
        // Game loops need not increase in a recording of single frames, so only a requested duration ends it early.
        var isPlayed = _recording.ReadNext(out var observation) && (_options.Duration is null || observation.GameLoop <= _lastGameLoop);
        _next = isPlayed ? observation : null;
        _ended = _next is null;
        // Steps are not kept for the frames that a seek finds.
        if (IsOver) _stepsLeft = 0;
    }

    private void GoToStart()
    {
        if (_options.StartOffset > TimeSpan.Zero) _recording.SeekToGameLoop(_firstGameLoop);
        else _recording.Rewind();
        _pacer.Jump();
        ReadNext();
    }

    private void StopAtEnd()
    {
        _paused = true;
        TakeNote();
    }

    private void SeekTo(uint gameLoop)
    {
        _sought = true;
        _recording.SeekToGameLoop(gameLoop);
        _pacer.Jump();
        ReadNext();
    }

    private void CarryOutCommands()
    {
        while (_commands.TryDequeue(out var command))
        {
            try
            {
                CarryOut(command.Request);
                TakeNote();
                command.Done.SetResult(State);
            }
            catch (PlaybackException e)
            {
                command.Done.SetException(e);
            }
        }
    }

    private void CarryOut(ControlRequest request)
    {
        switch (request.CommandCase)
        {
            case ControlRequest.CommandOneofCase.Pause:
                _paused = true;
                _stepsLeft = 0;
                break;
            case ControlRequest.CommandOneofCase.Resume when _paused:
                _paused = false;
                _stepsLeft = 0;
                _pacer.Restart();
                // After the end, playing continues from the start.
                if (_ended && _options.StayAtEnd) GoToStart();
                break;
            case ControlRequest.CommandOneofCase.Step:
                _paused = true;
                _stepsLeft = IsOver ? 0 : Math.Min(_stepsLeft + Math.Max(request.Step.Frames, 1), MaxSteps);
                break;
            case ControlRequest.CommandOneofCase.Seek:
                SeekTo(Math.Max(request.Seek.GameLoop, _firstGameLoop));
                break;
            case ControlRequest.CommandOneofCase.SetRate:
                _pacer.Rate = request.SetRate.Rate;
                break;
            case ControlRequest.CommandOneofCase.SetLoop:
                _loop = request.SetLoop.Loop;
                break;
        }
    }

    private void Check(ControlRequest request)
    {
        switch (request.CommandCase)
        {
            case ControlRequest.CommandOneofCase.None:
                throw new PlaybackException(
                    PlaybackRefusal.Invalid, "no command is set: expected one of pause, resume, step, seek, set_rate, set_loop");
            case ControlRequest.CommandOneofCase.SetRate:
                CheckRate(request.SetRate.Rate);
                break;
            case ControlRequest.CommandOneofCase.Step when request.Step.Frames > MaxSteps:
                throw new PlaybackException(PlaybackRefusal.Invalid, $"step takes at most {MaxSteps} frames at once");
            case ControlRequest.CommandOneofCase.Seek when request.Seek.GameLoop > _lastGameLoop:
                throw new PlaybackException(
                    PlaybackRefusal.OutOfRange, $"game loop {request.Seek.GameLoop} is after the last, {_lastGameLoop}");
        }
    }

    private void RefuseCommands()
    {
        while (_commands.TryDequeue(out var command))
            command.Done.SetException(new PlaybackException(PlaybackRefusal.Over, "the playback is over"));
    }

    /// <summary>Updates the public state.</summary>
    private void TakeNote()
    {
        lock (_gate) _position = new PlaybackPosition(_paused, _pacer.Rate, _gameLoop, _sequence, _ended, _loop);
    }

    private static (uint First, uint Last) Range(RecordingReader recording, PlaybackOptions options, double tickHz)
    {
        var first = recording.FirstGameLoop + (options.StartOffset.TotalSeconds * tickHz);
        if (first > recording.LastGameLoop)
        {
            var seconds = (recording.LastGameLoop - recording.FirstGameLoop) / tickHz;
            throw new PlaybackException(
                PlaybackRefusal.OutOfRange,
                $"--start-offset {options.StartOffset.TotalSeconds} s is after the end of the recording ({seconds:0.#} s)");
        }
        var last = options.Duration is { } duration
            ? Math.Min(recording.LastGameLoop, first + (duration.TotalSeconds * tickHz))
            : recording.LastGameLoop;
        return ((uint)first, (uint)last);
    }

    private static double CheckRate(double rate) => rate is 0 or >= PlaybackOptions.MinRate and <= PlaybackOptions.MaxRate
        ? rate
        : throw new PlaybackException(
            PlaybackRefusal.Invalid, $"rate {rate} is neither 0 (unlimited) nor {PlaybackOptions.MinRate} to {PlaybackOptions.MaxRate}");

    private readonly record struct PlaybackPosition(bool Paused, double Rate, uint? GameLoop, ulong Sequence, bool Ended, bool Loop);

    private sealed record Command(ControlRequest Request)
    {
        public TaskCompletionSource<PlaybackState> Done { get; } = new(TaskCreationOptions.RunContinuationsAsynchronously);
    }
}
