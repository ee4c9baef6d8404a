namespace Abathur.Client;

/// <summary>
/// Adds the frames that were dropped while the connection was down to the next frame's count. Nothing tells what happened in them.
/// </summary>
/// <param name="everyGameLoops">With downsampling the number of frames in a gap is unknown.</param>
internal sealed class GapCounter(uint everyGameLoops)
{
    private (string MatchId, string RunId)? _match;
    private ulong _sequence;
    private uint _gameLoop;

    /// <summary>Counts a frame, and completes it if it is the first after a reconnection.</summary>
    public void Check(FrameState frame, bool reconnected)
    {
        var match = (frame.MatchId, frame.RunId);
        if (reconnected && _match is not null)
        {
            frame.Reconnected = true;
            var isSameMatch = _match == match;
            if (!isSameMatch || frame.Sequence != _sequence + 1) frame.SkippedEventsIncomplete = true;
            // Each run counts from 1, so the number of frames in the gap is unknown.
            if (everyGameLoops <= 1 && isSameMatch && frame.Sequence > _sequence + 1)
            {
                frame.Dropped = frame.Sequence - _sequence - 1;
                frame.DroppedLoops = (_gameLoop + 1, frame.GameLoop - 1);
            }
        }
        (_match, _sequence, _gameLoop) = (match, frame.Sequence, frame.GameLoop);
    }
}
