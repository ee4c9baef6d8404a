using SC2APIProtocol;
using Kind = SC2APIProtocol.Request.RequestOneofCase;

namespace Abathur.Emulator;

/// <summary>Which requests are valid in which status, and the errors for those that are not.</summary>
/// <remarks>
/// The statuses are those of the table in the game's own sc2api.proto, and further ones in which the game accepts a request. The response
/// to an invalid request has only <c>error</c>, and the game does not change. "A game has not been started yet", "Game has already ended",
/// "Not supported if game has already ended" and "Not in a game" are the game's own messages, as its clients report them; the other
/// messages are those of this program.
/// </remarks>
internal static class GameRules
{
    /// <summary>Why a request is refused in a status; null if it is valid.</summary>
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
        // Environments for learning restart during a match (pysc2 lists these statuses): the match is left.
        Kind.CreateGame or Kind.StartReplay => status is Status.Launched or Status.InGame or Status.InReplay or Status.Ended,
        // A client that creates no game joins one that another client has created, as on a ladder.
        Kind.JoinGame => status is Status.Launched or Status.InitGame,
        // The game accepts it when the match is over; environments for learning also restart during a match.
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
