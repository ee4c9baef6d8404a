using Abathur.Client.Nats.Wire;

namespace Abathur.Client.Nats;

/// <summary>Matches that daemons relay to NATS JetStream.</summary>
public static class NatsGame
{
    /// <summary>Checks that a match is there.</summary>
    /// <param name="address"><c>nats://HOST:PORT/MATCH</c>, with <c>natss</c> for TLS, several servers of a cluster separated by commas,
    /// and a login as <c>USER@</c> or <c>USER:PASSWORD@</c>. The environment variables ABATHUR_NATS_PASSWORD, ABATHUR_NATS_TOKEN,
    /// ABATHUR_NATS_CREDS and ABATHUR_CA have what is not given.</param>
    /// <param name="options">Timeouts, certificates, and the token of the NATS server.</param>
    /// <param name="credentials">File with the JWT and the seed of a user; null: that of the environment, else none.</param>
    /// <param name="cancellationToken">Ends the wait.</param>
    /// <returns>The match, with the frames and the requests of any other. Publishing needs the daemon itself.</returns>
    /// <exception cref="ArgumentException">The address or an option is invalid, or a file cannot be read.</exception>
    /// <exception cref="ConnectException">No server is there, or no match of this name.</exception>
    /// <exception cref="RequestException">Unauthenticated: the server refuses the login. PermissionDenied: the user may not read the
    /// match. FailedPrecondition: the server has no JetStream.</exception>
    public static Task<AbathurGame> ConnectAsync(
        string address, ConnectOptions? options = null, string? credentials = null, CancellationToken cancellationToken = default)
    {
        ArgumentNullException.ThrowIfNull(address);
        options ??= new ConnectOptions();
        var parsed = NatsAddress.Parse(address, out var problem) ?? throw new ArgumentException(problem, nameof(address));
        if (parsed.Match is null)
            throw new ArgumentException($"'{parsed}' names no match: expected nats://HOST:PORT/MATCH", nameof(address));
        parsed = parsed with
        {
            Token = string.IsNullOrEmpty(options.Token) ? parsed.Token : options.Token.TrimEnd('\r', '\n'),
            CaFile = options.CaFile ?? parsed.CaFile,
            Credentials = credentials ?? parsed.Credentials,
        };
        if (parsed.Problem() is { } unreadable) throw new ArgumentException(unreadable, nameof(options));
        return AbathurGame.ConnectWithAsync(new NatsTransport(parsed, options), options, cancellationToken);
    }
}
