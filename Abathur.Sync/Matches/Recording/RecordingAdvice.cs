using Abathur.Recordings;
using Abathur.Recordings.Conversion;
using Abathur.Sync.Diagnostics;

namespace Abathur.Sync.Matches.Recording;

/// <summary>The message of an exception about a recording, with the command or option that helps.</summary>
internal static class RecordingAdvice
{
    public static string Describe(Exception exception) => exception switch
    {
        RecordingException { Remedy: RecordingRemedy.Overwrite } => $"{exception.Message}: use --force to replace it",
        RecordingException { Remedy: RecordingRemedy.RaiseMaxFrames } => $"{exception.Message}: --max-frames allows more",
        RecordingException { Remedy: RecordingRemedy.RaiseMaxBytes } => $"{exception.Message}: --max-bytes allows more",
        RecordingException { Remedy: RecordingRemedy.Recover } =>
            $"{exception.Message}; `{ProgramName.Current} recover` makes a new file of its complete part",
        RecordingException { Remedy: RecordingRemedy.Open } => $"{exception.Message}: `{ProgramName.Current} info` shows its content",
        RecordingException { Remedy: RecordingRemedy.GiveGameInfo } => $"{exception.Message}: {Give("--game-info", "ResponseGameInfo")}",
        RecordingException { Remedy: RecordingRemedy.GiveGameData } => $"{exception.Message}: {Give("--game-data", "ResponseData")}",
        UnfinishedFileException => $"{exception.Message}; `{ProgramName.Current} recover` makes a recording of it",
        UnauthorizedAccessException =>
            $"{PathOf(exception.Message)}: permission denied: choose another file or folder, or ask its owner for access",
        _ => exception.Message,
    };

    // "Access to the path '/a/b' is denied."
    private static string PathOf(string message)
    {
        var (start, end) = (message.IndexOf('\''), message.LastIndexOf('\''));
        return end > start ? message[(start + 1)..end] : message;
    }

    private static string Give(string option, string type) =>
        $"give it with {option} FILE (a serialized {type} of the same map and game version)";
}
