namespace Abathur.Sync.Diagnostics;

/// <summary>How messages are written to standard error.</summary>
internal enum LogFormat
{
    /// <summary>A line each, for people.</summary>
    Text,

    /// <summary>A JSON object on a line each, for programs.</summary>
    Json,
}
