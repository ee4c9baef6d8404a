using Abathur.Sync.V1;
using Google.Protobuf;

namespace Abathur.Client;

/// <summary>What a bot publishes, as fields of <c>PublishRequest</c>. One task at a time.</summary>
internal abstract class PublishStream : IDisposable
{
    /// <summary>Sends a message with one field. Waits where the daemon is slower.</summary>
    /// <param name="field">Number of the field.</param>
    /// <param name="value">Its value, serialized.</param>
    /// <param name="cancellationToken">Ends the wait; nothing can be sent then any more.</param>
    /// <exception cref="BrokenConnectionException">The daemon has closed the connection; it says why, if the daemon did.</exception>
    /// <exception cref="RequestException">The daemon has refused something.</exception>
    public abstract ValueTask SendAsync(int field, ReadOnlyMemory<byte> value, CancellationToken cancellationToken);

    /// <summary>Sends the match first. If that fails, the stream is disposed.</summary>
    /// <returns>This.</returns>
    /// <exception cref="BrokenConnectionException">As of <see cref="SendAsync"/>.</exception>
    /// <exception cref="RequestException">As of <see cref="SendAsync"/>.</exception>
    public async Task<PublishStream> BeginAsync(Match match, CancellationToken cancellationToken)
    {
        try
        {
            await SendAsync(PublishRequest.MatchFieldNumber, match.ToByteArray(), cancellationToken).ConfigureAwait(false);
            return this;
        }
        catch
        {
            Dispose();
            throw;
        }
    }

    /// <summary>Waits until the daemon has taken all.</summary>
    /// <returns>Number of observations that it has taken.</returns>
    /// <exception cref="BrokenConnectionException">The daemon has closed the connection.</exception>
    /// <exception cref="RequestException">The daemon has refused something.</exception>
    public abstract Task<ulong> FinishAsync(CancellationToken cancellationToken);

    /// <inheritdoc/>
    public abstract void Dispose();
}
