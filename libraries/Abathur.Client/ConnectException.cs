namespace Abathur.Client;

/// <summary>No daemon answers at an address.</summary>
public sealed class ConnectException : AbathurException
{
    internal ConnectException(string address, string reason, Exception? inner = null, string hint = " Is the daemon running?")
        : base($"cannot connect to {address}: {reason}.{hint}", inner) => Address = address;

    /// <summary>The address.</summary>
    public string Address { get; }
}
