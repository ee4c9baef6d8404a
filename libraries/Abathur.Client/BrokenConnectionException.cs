namespace Abathur.Client;

/// <summary>A connection broke, or could not be made, and may be made again. Transports throw it; users of
/// <see cref="AbathurGame"/> get one of the others.</summary>
/// <param name="reason">Why.</param>
/// <param name="inner">What happened.</param>
public sealed class BrokenConnectionException(string reason, Exception? inner = null) : Exception(reason, inner)
{
    /// <summary>Whether nothing is there at the address, so that waiting makes sense only where something is to start later.</summary>
    public bool IsNothingThere { get; init; }

    /// <summary>Where nothing is there: what the user can do. Null: what one does without a daemon.</summary>
    public string? Advice { get; init; }
}
