namespace Abathur.Fuzz;

/// <summary>
/// The inputs that mutations start from: the valid ones, and those that gave something new. There is no coverage of .NET code to be had
/// without
/// another tool: what a target tells of a run (what was refused, where, how much came out) stands in for it.
/// </summary>
internal sealed class Corpus(Random random)
{
    private const int MaxInputs = 4000;
    private readonly List<byte[]> _inputs = [];
    private readonly HashSet<int> _seen = [];

    /// <summary>Inputs so far.</summary>
    public int Count => _inputs.Count;

    /// <summary>Adds an input where its outcome is a new one.</summary>
    public void Add(byte[] input, int outcome)
    {
        if (!_seen.Add(outcome)) return;
        if (_inputs.Count < MaxInputs) _inputs.Add(input);
        else _inputs[random.Next(MaxInputs)] = input;
    }

    /// <summary>Any of them, the later ones more often.</summary>
    public byte[] Pick() => _inputs.Count == 0 ? [] : _inputs[Math.Max(random.Next(_inputs.Count), random.Next(_inputs.Count))];
}
