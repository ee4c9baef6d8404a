using Abathur.Columns;
using Abathur.Sync.Frames;

namespace Abathur.Sync.Matches.History;

/// <summary>
/// The kept frames as they were published, but for the order of their units, each once. Where frames were dropped before they were read, it
/// continues with the oldest one that is kept. For one task.
/// </summary>
internal sealed class KeptFrames(MatchHistory history) : IDisposable
{
    private readonly ColumnsDecoder _decoder = new();
    private HistoryCursor _cursor = history.Read(null);
    private int _observationBytes;

    /// <summary>Sequence of the newest frame that was read; 0 before the first.</summary>
    public ulong LastSequence { get; private set; }

    /// <summary>The next frame, not published yet, which the caller releases; null if it does not exist yet.</summary>
    /// <exception cref="InvalidDataException">What is kept cannot be read.</exception>
    public SharedFrame? TryRead()
    {
        while (true)
        {
            if (_cursor.TryRead(out var record))
            {
                _decoder.Decode(record.Payload.Span);
                if (record.Sequence <= LastSequence) continue;
                LastSequence = record.Sequence;
                return SharedFrame.Rent(record.GameLoop, record.Captured, ToObservation());
            }
            if (!_cursor.IsLost) return null;
            _cursor.Dispose();
            _cursor = history.Read(null);
        }
    }

    public void Dispose() => _cursor.Dispose();

    private SharedBuffer ToObservation()
    {
        var observation = SharedBuffer.Rent(_observationBytes);
        _decoder.WriteObservation(observation);
        _observationBytes = Math.Max(_observationBytes, observation.Span.Length);
        return observation;
    }
}
