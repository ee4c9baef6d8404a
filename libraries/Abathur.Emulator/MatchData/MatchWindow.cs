using Abathur.Mcap;
using Abathur.Recordings;

namespace Abathur.Emulator.MatchData;

/// <summary>The part of a recording that is played: the game loops of its first and last observation.</summary>
/// <param name="FirstGameLoop">Game loop of the first observation.</param>
/// <param name="LastGameLoop">Game loop of the last observation.</param>
/// <param name="IsCutAtStart">Whether the recording has observations before it.</param>
/// <param name="IsCutAtEnd">Whether the recording has observations after it.</param>
internal readonly record struct MatchWindow(uint FirstGameLoop, uint LastGameLoop, bool IsCutAtStart, bool IsCutAtEnd)
{
    // Loops before the stop in which its observation is looked for first: more than between two of most recordings.
    private const uint FirstLookBack = 32;

    /// <summary>Finds it. Moves the reader.</summary>
    /// <param name="recording">The recording, which has an observation.</param>
    /// <param name="name">Its name for errors.</param>
    /// <param name="start">Game loop before which no observation is played.</param>
    /// <param name="stop">Game loop after which no observation is played.</param>
    /// <exception cref="RecordingException">The recording has no observation between the start and the stop.</exception>
    /// <exception cref="McapException">The file is damaged before the start.</exception>
    public static MatchWindow Of(RecordingReader recording, string name, uint start, uint stop)
    {
        var (begin, end) = (recording.FirstGameLoop, Math.Max(recording.FirstGameLoop, recording.LastGameLoop));
        if (stop < start) throw new RecordingException($"the stop at game loop {stop} is before the start at {start}");
        if (start > end) throw new RecordingException($"{name} ends at game loop {end}, before the start at {start}");
        if (stop < begin) throw new RecordingException($"{name} begins at game loop {begin}, after the stop at {stop}");
        var first = begin;
        if (start > begin)
        {
            if (!recording.SeekToGameLoop(start) || !recording.ReadNext(out var observation))
                throw new RecordingException($"{name} has no observation from game loop {start} on");
            first = observation.GameLoop;
        }
        if (first > stop)
            throw new RecordingException($"{name} has no observation from game loop {start} to {stop}; the next one is at {first}");
        return new MatchWindow(first, stop < end ? LastOf(recording, first, stop) : end, first > begin, stop < end);
    }

    /// <summary>Game loop of the last observation at or before the stop; the stop if the file is damaged there, as the match ends
    /// there anyway.</summary>
    private static uint LastOf(RecordingReader recording, uint first, uint stop)
    {
        try
        {
            for (ulong back = FirstLookBack; ; back *= 8)
            {
                var from = (uint)Math.Max(first, stop - Math.Min(stop, back));
                var last = from;
                var isFound = false;
                foreach (var each in recording.ReadBetween(from, stop + 1)) (last, isFound) = (each.GameLoop, true);
                if (isFound || from == first) return last;
            }
        }
        catch (McapException)
        {
            return stop;
        }
    }
}
