using Abathur.Mcap;
using Abathur.Protobuf;
using Abathur.Recordings;
using Abathur.Sc2;
using Abathur.Sync.Hub.Scheduling;
using Abathur.Sync.Matches;
using Abathur.Sync.Matches.History;
using Abathur.Sync.Matches.Plots;
using Abathur.Sync.V1;
using Google.Protobuf;
using SC2APIProtocol;

namespace Abathur.Sync.Sources.Playback;

/// <summary>Reads a recording once, at low priority, when the first client asks for the whole match.</summary>
/// <param name="path">The file.</param>
/// <param name="firstGameLoop">First game loop that is played.</param>
/// <param name="lastGameLoop">Last game loop that is played.</param>
internal sealed class RecordingOverview(string path, uint firstGameLoop, uint lastGameLoop) : IMatchOverview, IDisposable
{
    private readonly Lock _gate = new();
    private readonly MatchTimeline _timeline = new();
    private readonly PlotBoard _plots = new(isRecorded: true);
    private readonly CancellationTokenSource _disposed = new();
    private Task? _reading;

    /// <inheritdoc/>
    public async Task<Timeline> TimelineAsync(uint afterGameLoop, Action<long> requireRoom, CancellationToken cancellationToken)
    {
        await ReadOnceAsync().WaitAsync(cancellationToken);
        return _timeline.After(afterGameLoop, requireRoom);
    }

    /// <inheritdoc/>
    public async Task<V1.Plots> PlotsAsync(
        uint afterGameLoop, uint untilGameLoop, Action<long> requireRoom, CancellationToken cancellationToken)
    {
        await ReadOnceAsync().WaitAsync(cancellationToken);
        return _plots.Between(afterGameLoop, untilGameLoop, requireRoom);
    }

    /// <summary>Ends reading.</summary>
    public void Dispose()
    {
        _disposed.Cancel();
        lock (_gate)
        {
            // Who reads it still looks at its token.
            if (_reading is null or { IsCompleted: true }) _disposed.Dispose();
        }
    }

    private Task ReadOnceAsync()
    {
        lock (_gate)
        {
            return _reading ??= LowPriorityScheduler.Overviews.RunAsync(
                () =>
                {
                    Read(_disposed.Token);
                    return Task.CompletedTask;
                });
        }
    }

    private void AddDrawings(in RecordedMessage message)
    {
        try
        {
            _timeline.AddDrawings(message.GameLoop, Drawings.Parser.ParseFrom(message.Payload.Span));
        }
        catch (InvalidProtocolBufferException)
        {
            // Unreadable drawings are omitted, as when they are played.
        }
    }

    private void Read(CancellationToken cancellationToken)
    {
        try
        {
            using var recording = RecordingReader.Open(path, cancellationToken: cancellationToken);
            if (recording.GameData is { } data) _timeline.Begin(LenientParser.Parse<ResponseData>(data.Span));
            var events = new SkippedEvents();
            foreach (var message in recording.ReadMessages(firstGameLoop))
            {
                cancellationToken.ThrowIfCancellationRequested();
                LowPriorityThread.LetOthersRun();
                if (message.GameLoop > lastGameLoop) break;
                if (message.Topic == RecordingTopics.Plots) _plots.AddRecorded(message.Payload.Span);
                if (message.Topic == RecordingTopics.Drawings) AddDrawings(message);
                if (message.Topic != RecordingTopics.Observation) continue;
                events.Clear();
                events.Add(message.Payload.Span);
                _timeline.Add(message.GameLoop, message.Payload.Span, events.ToFields().Span);
            }
        }
        catch (Exception e) when (e is RecordingException or McapException or IOException or UnauthorizedAccessException)
        {
            throw new InvalidDataException($"the whole recording cannot be read: {e.Message}", e);
        }
    }
}
