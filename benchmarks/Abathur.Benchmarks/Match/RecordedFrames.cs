using Abathur.Recordings;

namespace Abathur.Benchmarks.Match;

/// <summary>Chosen frames of a recording, as often as wanted. Keeps them in memory where they are few, else reads the file each time. Not
/// thread-safe.</summary>
internal sealed class RecordedFrames : IDisposable
{
    /// <summary>Most bytes of frames that are kept in memory.</summary>
    public const long MaxKeptBytes = 256L << 20;

    private readonly RecordingReader _reader;
    private Dictionary<int, byte[]>? _kept = [];
    private long _keptBytes;

    private RecordedFrames(string path, RecordingReader reader)
    {
        _reader = reader;
        FileName = Path.GetFileName(path);
        FileBytes = new FileInfo(path).Length;
    }

    /// <summary>Name of the file, without folder.</summary>
    public string FileName { get; }

    /// <summary>Its size.</summary>
    public long FileBytes { get; }

    /// <summary>Number of observations in it.</summary>
    public int Count => (int)_reader.FrameCount;

    /// <summary>The match, as the recording describes it.</summary>
    public RecordingMatch Match => _reader.Match;

    /// <summary>Opens a recording that is whole and has frames.</summary>
    /// <exception cref="RecordingException">It is missing, cut, or has none.</exception>
    /// <exception cref="Abathur.Mcap.McapException">It is not an MCAP file.</exception>
    /// <exception cref="IOException">It cannot be read.</exception>
    public static RecordedFrames Open(string path)
    {
        var reader = RecordingReader.Open(path);
        var problem = reader.Truncated ? $"{path} is cut off ({reader.Damage}): `abathur-sync recover` makes a whole recording of it"
            : reader.FrameCount == 0 ? $"{path} has no observations"
            : null;
        if (problem is null) return new RecordedFrames(path, reader);
        reader.Dispose();
        throw new RecordingException(problem);
    }

    /// <summary>Evenly spaced numbers of frames, the first and the last among them.</summary>
    /// <param name="count">Frames that there are.</param>
    /// <param name="wanted">Frames to take; more than there are: all.</param>
    public static int[] EvenlySpaced(int count, int wanted)
    {
        if (wanted >= count) return [.. Enumerable.Range(0, count)];
        if (wanted == 1) return [0];
        return [.. Enumerable.Range(0, wanted).Select(i => (int)((long)i * (count - 1) / (wanted - 1)))];
    }

    /// <summary>Frames for a stream: whole intervals from a keyframe to the next, evenly spaced; a single one is in the middle.</summary>
    /// <param name="count">Frames that there are.</param>
    /// <param name="wanted">Frames to take, about; at least those of one keyframe are taken.</param>
    /// <param name="interval">Frames from one keyframe to the next.</param>
    public static int[] AlongKeyframes(int count, int wanted, int interval)
    {
        if (wanted >= count) return [.. Enumerable.Range(0, count)];
        var keyframes = (count + interval - 1) / interval;
        var taken = Math.Max(1, wanted / interval);
        return
        [
            .. Enumerable.Range(0, taken)
                .Select(i => (2 * i + 1) * keyframes / (2 * taken))
                .SelectMany(i => Enumerable.Range(i * interval, Math.Min(interval, count - i * interval))),
        ];
    }

    /// <summary>The frames of these numbers, in recorded order.</summary>
    /// <param name="numbers">Rising, counted from 0.</param>
    public IEnumerable<(int Number, byte[] Observation)> Read(IReadOnlyList<int> numbers)
    {
        if (_kept is not null && numbers.All(_kept.ContainsKey))
        {
            foreach (var number in numbers) yield return (number, _kept[number]);
            yield break;
        }
        _reader.Rewind();
        var next = 0;
        for (var number = 0; next < numbers.Count && _reader.ReadNext(out var recorded); number++)
        {
            if (number != numbers[next]) continue;
            next++;
            yield return (number, Keep(number, recorded.Payload));
        }
    }

    /// <summary>All frames from the first to one, from the file.</summary>
    /// <param name="last">The number of the last.</param>
    public IEnumerable<(int Number, byte[] Observation)> ReadUntil(int last)
    {
        _reader.Rewind();
        for (var number = 0; number <= last && _reader.ReadNext(out var recorded); number++)
            yield return (number, recorded.Payload.ToArray());
    }

    public void Dispose() => _reader.Dispose();

    private byte[] Keep(int number, ReadOnlyMemory<byte> payload)
    {
        if (_kept is not null && _kept.TryGetValue(number, out var kept)) return kept;
        var observation = payload.ToArray();
        if (_kept is null) return observation;
        _keptBytes += observation.Length;
        if (_keptBytes > MaxKeptBytes) _kept = null;
        else _kept[number] = observation;
        return observation;
    }
}
