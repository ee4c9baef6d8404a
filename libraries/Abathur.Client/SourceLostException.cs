namespace Abathur.Client;

/// <summary>The game, or the bot that publishes, disconnected during the match.</summary>
public sealed class SourceLostException : RequestException
{
    internal SourceLostException(string reason) : base(RequestErrorCode.Aborted, reason) { }
}
