using Abathur.Sync.V1;
using SC2APIProtocol;

namespace Abathur.Sync.Sources.Proxy;

/// <summary>Which of the matches that run at the same time in a proxy are of one game: both players of it. Thread-safe.</summary>
internal sealed class ProxyGroups
{
    private readonly Lock _gate = new();
    private readonly List<(Match Match, int? Port)> _running = [];

    /// <summary>Sets the ids of a match that begins. Its group is that of the oldest one that is the same game seen by another player, else
    /// a new one. A group has the id of its first match.</summary>
    /// <param name="match">The match.</param>
    /// <param name="port">A port of the game between its players, which all have named when they joined; 0: no port, because the bot plays
    /// alone; null: the bot has not joined here.</param>
    public void Begin(Match match, int? port)
    {
        lock (_gate)
        {
            match.MatchId = Guid.NewGuid().ToString("N");
            var groups = _running.GroupBy(each => each.Match.GroupId);
            match.GroupId = groups.FirstOrDefault(group => group.All(other => AreOneGame((match, port), other)))?.Key ?? match.MatchId;
            _running.Add((match, port));
        }
    }

    /// <summary>A match is over.</summary>
    public void End(Match match)
    {
        lock (_gate) _running.RemoveAll(each => each.Match == match);
    }

    /// <summary>Whether no match runs.</summary>
    public bool IsEmpty
    {
        get
        {
            lock (_gate) return _running.Count == 0;
        }
    }

    /// <summary>By the port. Where it is not known, it may be one game if nothing tells otherwise.</summary>
    private static bool AreOneGame((Match Match, int? Port) one, (Match Match, int? Port) other)
    {
        if (one.Port is { } port && other.Port is { } otherPort) return port == otherPort && port != 0;
        return one.Match.PlayerId != other.Match.PlayerId
            && one.Match.GameInfo?.MapName == other.Match.GameInfo?.MapName
            && !IsComputer(one.Match, other.Match.PlayerId)
            && !IsComputer(other.Match, one.Match.PlayerId);
    }

    private static bool IsComputer(Match match, uint playerId) =>
        match.GameInfo?.PlayerInfo.Any(each => each.PlayerId == playerId && each.Type == PlayerType.Computer) == true;
}
