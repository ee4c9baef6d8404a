namespace Abathur.Client;

/// <summary>Daemons that know one match: they have no runs to choose from, and follow none.</summary>
internal static class OldDaemon
{
    private static readonly string[] Missing =
        ["has no field \"follow\"", "has no field \"matches\"", "has no field \"runId\"", "expected one of"];

    /// <summary>The exception where a daemon is too old.</summary>
    public static RequestException Refusal() =>
        new(RequestErrorCode.Unimplemented, "the daemon is too old: it knows one match, without RunId, Follow and a list of matches");

    /// <summary>Whether a daemon has refused a line on its socket because it is too old.</summary>
    public static bool Says(Exception e) => Missing.Any(each => e.Message.Contains(each, StringComparison.Ordinal));
}
