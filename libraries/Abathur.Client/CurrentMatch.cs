using Abathur.Sync.V1;

namespace Abathur.Client;

/// <summary>Where a game is: the match, and the frame, which its requests answer. Thread-safe.</summary>
internal sealed class CurrentMatch
{
    private volatile Lazy<Match>? _match;
    private volatile string _runId = "";
    private volatile bool _knowsMatches;
    private uint _gameLoop;

    /// <summary>The match; null before the first.</summary>
    public Lazy<Match>? Match
    {
        get => _match;
        set => _match = value;
    }

    /// <summary>Whether the daemon is known to tell its matches apart.</summary>
    public bool KnowsMatches
    {
        get => _knowsMatches;
        set => _knowsMatches = value;
    }

    /// <summary>Goes on with the match of a connection.</summary>
    public void Begin(DaemonConnection connection)
    {
        if (connection.RunId != _runId) Volatile.Write(ref _gameLoop, 0);
        (_match, _runId) = (connection.Match, connection.RunId);
        _knowsMatches |= connection.Head.IsDated;
    }

    /// <summary>The match is over, and requests mean the next one.</summary>
    public void Leave()
    {
        (_match, _runId) = (null, "");
        Volatile.Write(ref _gameLoop, 0);
    }

    /// <summary>A frame was received.</summary>
    public void Reach(FrameState frame) => Volatile.Write(ref _gameLoop, frame.GameLoop);

    /// <summary>The run that a request means: empty where the daemon does not tell its matches apart.</summary>
    /// <param name="runId">What it names; empty: the match of the frames that are read.</param>
    public string RunFor(string runId) => runId.Length == 0 && _knowsMatches ? _runId : runId;

    /// <summary>Game loop of the last frame; 0 where it is of another match than the one that a request means.</summary>
    public uint GameLoopFor(string runId) => runId.Length == 0 || runId == _runId ? Volatile.Read(ref _gameLoop) : 0;
}
