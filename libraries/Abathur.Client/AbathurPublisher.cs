using Abathur.Sync.V1;
using Google.Protobuf;
using SC2APIProtocol;

namespace Abathur.Client;

/// <summary>Gives a bot's observations to a daemon that waits for them (<c>abathur serve</c>). Made by
/// <see cref="AbathurGame.PublishAsync"/>. One task at a time.</summary>
public sealed class AbathurPublisher : IAsyncDisposable
{
    private readonly string _address;
    private readonly PublishStream _stream;
    private bool _isDisposed;

    private AbathurPublisher(string address, PublishStream stream) => (_address, _stream) = (address, stream);

    /// <summary>Gives the next observation. Waits where the daemon is slower.</summary>
    /// <param name="responseObservation">A serialized <c>ResponseObservation</c>, as the game answered it.</param>
    /// <param name="cancellationToken">Ends the wait; the connection cannot be used any more then.</param>
    /// <exception cref="ConnectionLostException">The daemon has closed the connection.</exception>
    /// <exception cref="RequestException">The daemon has refused something.</exception>
    public ValueTask PublishAsync(ReadOnlyMemory<byte> responseObservation, CancellationToken cancellationToken = default) =>
        SendAsync(PublishRequest.ObservationFieldNumber, responseObservation, cancellationToken);

    /// <summary>Gives the next observation.</summary>
    /// <remarks>As the other overload, which does not serialize.</remarks>
    /// <param name="observation">What the game answered.</param>
    /// <param name="cancellationToken">Ends the wait; the connection cannot be used any more then.</param>
    /// <exception cref="ConnectionLostException">The daemon has closed the connection.</exception>
    /// <exception cref="RequestException">The daemon has refused something.</exception>
    public ValueTask PublishAsync(ResponseObservation observation, CancellationToken cancellationToken = default)
    {
        ArgumentNullException.ThrowIfNull(observation);
        return PublishAsync(observation.ToByteArray(), cancellationToken);
    }

    /// <summary>Says what the bot did upon the newest observation; it goes into the daemon's recording.</summary>
    /// <param name="actions">What it sent to the game.</param>
    /// <param name="cancellationToken">Ends the wait; the connection cannot be used any more then.</param>
    /// <exception cref="ConnectionLostException">The daemon has closed the connection.</exception>
    /// <exception cref="RequestException">The daemon has refused something.</exception>
    public ValueTask PublishAsync(RequestAction actions, CancellationToken cancellationToken = default)
    {
        ArgumentNullException.ThrowIfNull(actions);
        return SendAsync(PublishRequest.ActionsFieldNumber, actions.ToByteArray(), cancellationToken);
    }

    /// <summary>Says that nothing follows, and waits until the daemon has taken all. Without it agents are told that the bot was lost.
    /// </summary>
    /// <returns>Number of observations that the daemon has taken.</returns>
    /// <exception cref="ConnectionLostException">The daemon has closed the connection.</exception>
    /// <exception cref="RequestException">The daemon has refused something.</exception>
    public async Task<ulong> FinishAsync(CancellationToken cancellationToken = default)
    {
        await SendAsync(PublishRequest.EndFieldNumber, default, cancellationToken).ConfigureAwait(false);
        try
        {
            return await _stream.FinishAsync(cancellationToken).ConfigureAwait(false);
        }
        catch (BrokenConnectionException e)
        {
            throw new ConnectionLostException(_address, e.Message, 0, e.InnerException);
        }
    }

    /// <summary>Closes the connection. Before <see cref="FinishAsync"/>, agents are told that the bot was lost.</summary>
    public ValueTask DisposeAsync()
    {
        _isDisposed = true;
        _stream.Dispose();
        return ValueTask.CompletedTask;
    }

    internal static async Task<AbathurPublisher> OpenAsync(
        string address, DaemonTransport transport, Match? match, CancellationToken cancellationToken)
    {
        try
        {
            return new AbathurPublisher(address, await transport.PublishAsync(match, cancellationToken).ConfigureAwait(false));
        }
        catch (Exception e) when (e is BrokenConnectionException or DaemonStoppingException)
        {
            throw new ConnectException(address, e.Message, e.InnerException);
        }
    }

    private async ValueTask SendAsync(int field, ReadOnlyMemory<byte> value, CancellationToken cancellationToken)
    {
        ObjectDisposedException.ThrowIf(_isDisposed, this);
        try
        {
            await _stream.SendAsync(field, value, cancellationToken).ConfigureAwait(false);
        }
        catch (BrokenConnectionException e)
        {
            throw new ConnectionLostException(_address, e.Message, 0, e.InnerException);
        }
    }
}
