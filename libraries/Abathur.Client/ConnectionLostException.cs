namespace Abathur.Client;

/// <summary>The connection broke, and could not be made again.</summary>
public sealed class ConnectionLostException : AbathurException
{
    internal ConnectionLostException(string address, string reason, int attempts, Exception? inner = null)
        : base($"lost the connection to {address}{(attempts > 0 ? $" after {attempts} attempts to reconnect" : "")}: {reason}", inner) =>
        (Address, Attempts) = (address, attempts);

    /// <summary>The address of the daemon.</summary>
    public string Address { get; }

    /// <summary>How often this client tried to connect again.</summary>
    public int Attempts { get; }
}
