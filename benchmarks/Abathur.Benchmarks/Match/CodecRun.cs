using Abathur.Benchmarks.Codecs;

namespace Abathur.Benchmarks.Match;

/// <summary>One codec in a match run, and what has been measured of it.</summary>
internal sealed class CodecRun(string name, ICodec codec)
{
    private readonly List<List<double>> _encode = [], _decode = [], _touch = [];

    /// <summary>Its name on the command line.</summary>
    public string Name => name;

    public ICodec Codec => codec;

    /// <summary>Numbers of the frames that it takes.</summary>
    public IReadOnlyList<int> Frames { get; set; } = [];

    /// <summary>Frames whose unknown fields were lost.</summary>
    public int FramesWithoutUnknownFields { get; set; }

    /// <summary>Why it is not timed; null if the check went well.</summary>
    public string? Failure { get; set; }

    /// <summary>Encoded size of each frame, by the number of the frame.</summary>
    public SortedDictionary<int, int> Bytes { get; } = [];

    /// <summary>Bytes of the frames that decode without those before, if it is a stream.</summary>
    public List<int> Keyframes { get; } = [];

    /// <summary>Bytes allocated by all timed operations of one kind.</summary>
    public long EncodeAllocated { get; private set; }

    /// <inheritdoc cref="EncodeAllocated"/>
    public long DecodeAllocated { get; private set; }

    /// <summary>Frames timed, over all rounds.</summary>
    public int Samples => _encode.Sum(round => round.Count);

    public Statistics? Encode => Statistics.Of(_encode);

    public Statistics? Decode => Statistics.Of(_decode);

    public Statistics? DecodeTouch => Statistics.Of(_touch);

    /// <summary>Starts a round: what is added from now on is of it.</summary>
    public void StartRound()
    {
        foreach (var rounds in (List<List<double>>[])[_encode, _decode, _touch]) rounds.Add([]);
    }

    /// <summary>Adds a timed frame to the round.</summary>
    public void Add(in FrameSample sample)
    {
        _encode[^1].Add(sample.EncodeTicks * MatchClock.NsPerTick);
        _decode[^1].Add(sample.DecodeTicks * MatchClock.NsPerTick);
        _touch[^1].Add(sample.DecodeTouchTicks * MatchClock.NsPerTick);
        EncodeAllocated += sample.EncodeAllocated;
        DecodeAllocated += sample.DecodeAllocated;
    }
}
