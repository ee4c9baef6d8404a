using Abathur.Sync.V1;
using SC2APIProtocol;

namespace Abathur.Sync.Sources.Proxy;

/// <summary>Which of the matches that run at the same time in a proxy are of one game: both players of it. Thread-safe.</summary>
internal sealed class ProxyGroups
{
    private readonly Lock _gate = new();
    private readonly List<Match> _running = [];

    /// <summary>Sets the ids of a match that begins. Its group is that of the oldest one that may be the same game seen by another player,
    /// else a new one. A group has the id of its first match.</summary>
    public void Begin(Match match)
    {
        lock (_gate)
        {
            match.MatchId = Guid.NewGuid().ToString("N");
            var groups = _running.GroupBy(each => each.GroupId);
            match.GroupId = groups.FirstOrDefault(group => group.All(other => MayBeOneGame(match, other)))?.Key ?? match.MatchId;
            _running.Add(match);
        }
    }

    /// <summary>A match is over.</summary>
    public void End(Match match)
    {
        lock (_gate) _running.Remove(match);
    }

    /// <summary>Whether no match runs.</summary>
    public bool IsEmpty
    {
        get
        {
            lock (_gate) return _running.Count == 0;
        }
    }

    private static bool MayBeOneGame(Match match, Match other) =>
        match.PlayerId != other.PlayerId
        && match.GameInfo?.MapName == other.GameInfo?.MapName
        && !IsComputer(match, other.PlayerId)
        && !IsComputer(other, match.PlayerId);

    private static bool IsComputer(Match match, uint playerId) =>
        match.GameInfo?.PlayerInfo.Any(each => each.PlayerId == playerId && each.Type == PlayerType.Computer) == true;
}
