namespace Abathur.Client;

/// <summary>A connection broke, or could not be made, and may be made again. Users get one of the others.</summary>
internal sealed class BrokenConnectionException(string reason, Exception? inner = null) : Exception(reason, inner)
{
    /// <summary>Whether nothing listens at the address.</summary>
    public bool IsNothingThere { get; init; }
}
