namespace Abathur.Sync.Diagnostics;

/// <summary>How messages are written to standard error.</summary>
internal enum LogFormat
{
    /// <summary>One line per message, for people.</summary>
    Text,

    /// <summary>One JSON object per line, for programs.</summary>
    Json,
}
