using Abathur.Sync.Access;
using Microsoft.AspNetCore.Http;

namespace Abathur.Sync.Dashboard;

/// <summary>
/// Refuses recordings that were written to within a delay, by this daemon or another program: they may have what clients must not see yet.
/// </summary>
/// <param name="delay">The delay; 0: no recording is refused.</param>
/// <param name="clock">Clock of the time.</param>
internal sealed class RecordingAge(TimeSpan delay, TimeProvider clock)
{
    /// <summary>Coarsest times that file systems keep.</summary>
    private static readonly TimeSpan Coarseness = TimeSpan.FromSeconds(2);

    /// <summary>Whether recordings may be refused.</summary>
    public bool IsDelayed => delay > TimeSpan.Zero;

    /// <summary>For the client of a request, by its token.</summary>
    public static RecordingAge For(HttpContext http, AccessOptions access, TimeProvider clock) =>
        new(access.DelayOf(access.Tokens.LevelOf(WebSocketToken.Of(http))), clock);

    /// <summary>Why a recording is not found. It is the same text if there is no file, or one that must not be seen yet: the recording of
    /// the match gets its name when the match ends.</summary>
    public string NotFound => IsDelayed
        ? $"there is no such recording that was last written to {(delay + Coarseness).TotalSeconds:0.#} s ago or earlier: with this token "
            + $"a match is seen {delay.TotalSeconds:0.#} s later"
        : "there is no such recording";

    /// <summary>Whether a file may be seen. By the time of its content: that of a link is another, and on Windows a folder has the time of
    /// a file only when the file was closed.</summary>
    public bool Allows(string file)
    {
        if (!IsDelayed) return true;
        try
        {
            // An empty file is not a recording, and may be a pipe, which would wait for its writer.
            if (new FileInfo(file).Length == 0) return false;
            using var handle = File.OpenHandle(file, FileMode.Open, FileAccess.Read, FileShare.ReadWrite | FileShare.Delete);
            return clock.GetUtcNow() - File.GetLastWriteTimeUtc(handle) >= delay + Coarseness;
        }
        catch (Exception e) when (e is IOException or UnauthorizedAccessException)
        {
            return false;
        }
    }
}
