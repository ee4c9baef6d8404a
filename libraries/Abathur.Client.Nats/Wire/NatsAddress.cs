using System.Security.Cryptography;

namespace Abathur.Client.Nats.Wire;

/// <summary>Servers of NATS, the login, and the name of a match: <c>nats://[USER[:PASSWORD]@]HOST[:PORT][,HOST[:PORT]]...[/MATCH]</c>,
/// with <c>natss</c> for TLS.</summary>
/// <param name="Servers">HOST:PORT of each.</param>
/// <param name="IsTls">Whether TLS is required.</param>
/// <param name="Match">Name of the match; null: none is named.</param>
/// <param name="User">The user; null: none.</param>
/// <param name="Password">The user's password.</param>
internal sealed record NatsAddress(IReadOnlyList<string> Servers, bool IsTls, string? Match, string? User, string? Password)
{
    /// <summary>Environment variables of the login, and of the certificates.</summary>
    public const string TokenVariable = "ABATHUR_NATS_TOKEN", PasswordVariable = "ABATHUR_NATS_PASSWORD",
        CredentialsVariable = "ABATHUR_NATS_CREDS", CaVariable = "ABATHUR_CA";

    private const int DefaultPort = 4222;
    private const string Scheme = "nats://", TlsScheme = "natss://";

    /// <summary>The token of the servers, not of the daemon; null: none.</summary>
    public string? Token { get; init; } = Variable(TokenVariable);

    /// <summary>File with a user's JWT and seed; null: none.</summary>
    public string? Credentials { get; init; } = Variable(CredentialsVariable);

    /// <summary>File (PEM) with trusted root certificates; null: those of the system.</summary>
    public string? CaFile { get; init; } = Variable(CaVariable);

    /// <summary>Reads an address. The login of the environment is taken with it.</summary>
    /// <param name="text">The text.</param>
    /// <param name="problem">What is wrong; null: nothing is.</param>
    public static NatsAddress? Parse(string text, out string? problem)
    {
        var isTls = text.StartsWith(TlsScheme, StringComparison.Ordinal);
        if (!isTls && !text.StartsWith(Scheme, StringComparison.Ordinal))
        {
            problem = $"'{text}' is not the address of a NATS server: expected nats://HOST:PORT";
            return null;
        }
        var rest = text[(isTls ? TlsScheme : Scheme).Length..];
        var (place, match) = Split(rest, rest.IndexOf('/'));
        var (login, hosts) = place.LastIndexOf('@') is var at and >= 0 ? (place[..at], place[(at + 1)..]) : ("", place);
        var (user, password) = Split(login, login.IndexOf(':'));
        string?[] servers = [.. hosts.Split(',').Select(server => HostPort.Parse(server, DefaultPort)?.ToString())];
        if (servers.Contains(null) || (match.Length > 0 && !MatchName.Is(match)))
        {
            // Without the password.
            problem = $"'{(isTls ? TlsScheme : Scheme)}{hosts}/{match}' is not an address: expected nats://HOST:PORT/MATCH, several "
                + $"servers separated by commas; the name of a match has letters, digits, _ and -, at most {MatchName.MaxLength}";
            return null;
        }
        problem = null;
        var secret = password.Length > 0 ? Uri.UnescapeDataString(password) : Variable(PasswordVariable);
        return user.Length > 0
            ? new NatsAddress(servers!, isTls, match.Length > 0 ? match : null, Uri.UnescapeDataString(user), secret)
            : new NatsAddress(servers!, isTls, match.Length > 0 ? match : null, null, null);
    }

    /// <summary>What is wrong with the files; null: nothing is.</summary>
    public string? Problem()
    {
        try
        {
            if (CaFile is not null) _ = TrustedRoots.Read(CaFile);
        }
        catch (Exception e) when (e is IOException or UnauthorizedAccessException or CryptographicException)
        {
            return $"cannot read the certificates in '{CaFile}': {e.Message}";
        }
        try
        {
            if (Credentials is null) return null;
            var text = File.ReadAllText(Credentials);
            return text.Contains("BEGIN NATS USER JWT", StringComparison.Ordinal)
                && text.Contains("BEGIN USER NKEY SEED", StringComparison.Ordinal)
                ? null
                : $"{Credentials} has no credentials of NATS: it needs a user's JWT and an NKEY seed";
        }
        catch (Exception e) when (e is IOException or UnauthorizedAccessException)
        {
            return $"cannot read the credentials in '{Credentials}': {e.Message}";
        }
    }

    /// <summary>The address without the login, and without the match.</summary>
    public override string ToString() => $"{(IsTls ? TlsScheme : Scheme)}{string.Join(',', Servers)}";

    private static (string Before, string After) Split(string text, int at) =>
        at < 0 ? (text, "") : (text[..at], text[(at + 1)..]);

    private static string? Variable(string name) =>
        Environment.GetEnvironmentVariable(name)?.TrimEnd('\r', '\n') is { Length: > 0 } value ? value : null;
}
