using SC2APIProtocol;
using Kind = SC2APIProtocol.Request.RequestOneofCase;

namespace Abathur.Emulator;

/// <summary>Which request is valid in which status, and what the game says to one that is not.</summary>
/// <remarks>
/// The statuses are those of the table in the game's own sc2api.proto, and those in which the game takes a request all the same. A request at the wrong time is answered by a response with
/// nothing but <c>error</c>, and changes nothing. "A game has not been started yet", "Game has already ended", "Not supported if game has already ended"
/// and "Not in a game" are the game's own words, as its clients report them; the rest is said in words of this program.
/// </remarks>
internal static class GameRules
{
    /// <summary>Why a request is refused in a status; null where it is valid.</summary>
    /// <param name="kind">The request.</param>
    /// <param name="status">Status of the game.</param>
    /// <param name="realtime">Whether the game advances by the clock.</param>
    public static string? Refusal(Kind kind, Status status, bool realtime)
    {
        if (!IsValid(kind, status)) return Error(kind, status);
        return kind == Kind.Step && realtime ? "Step is not supported in realtime mode" : null;
    }

    private static bool IsValid(Kind kind, Status status) => kind switch
    {
        Kind.Ping or Kind.AvailableMaps or Kind.ReplayInfo or Kind.SaveMap or Kind.Quit => true,
        // Environments for learning start over in the middle of a match (pysc2 names these statuses): the match is left.
        Kind.CreateGame or Kind.StartReplay => status is Status.Launched or Status.InGame or Status.InReplay or Status.Ended,
        // Without a game of its own to create, a client joins one that another has created: on a ladder it has.
        Kind.JoinGame => status is Status.Launched or Status.InitGame,
        // The game takes it when the match is over; environments for learning restart in the middle as well.
        Kind.RestartGame => status is Status.InGame or Status.Ended,
        Kind.LeaveGame => status is Status.InGame or Status.InReplay or Status.Ended,
        Kind.GameInfo or Kind.Observation or Kind.Data => status is Status.InGame or Status.InReplay or Status.Ended,
        Kind.Step or Kind.Query or Kind.ObsAction => status is Status.InGame or Status.InReplay,
        Kind.Action or Kind.Debug or Kind.QuickSave or Kind.QuickLoad or Kind.MapCommand => status is Status.InGame,
        Kind.SaveReplay => status is Status.InGame or Status.Ended,
        _ => false,
    };

    private static string Error(Kind kind, Status status) => (kind, status) switch
    {
        (Kind.CreateGame or Kind.StartReplay or Kind.JoinGame or Kind.RestartGame, _) => $"{kind} is not valid in status {Name(status)}",
        (Kind.Step, Status.Ended) => "Game has already ended",
        (_, Status.Ended) => "Not supported if game has already ended",
        (Kind.Action or Kind.Debug or Kind.QuickSave or Kind.QuickLoad or Kind.MapCommand or Kind.SaveReplay, _) => "Not in a game",
        _ => "A game has not been started yet",
    };

    private static string Name(Status status) => status switch
    {
        Status.InitGame => "init_game",
        Status.InGame => "in_game",
        Status.InReplay => "in_replay",
        _ => status.ToString().ToLowerInvariant(),
    };
}
