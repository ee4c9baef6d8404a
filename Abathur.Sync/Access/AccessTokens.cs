using System.Security.Cryptography;
using System.Text;

namespace Abathur.Sync.Access;

/// <summary>The tokens that the daemon accepts, and what each one allows. Compared in constant time; never written anywhere.</summary>
public sealed class AccessTokens
{
    /// <summary>Minimum number of characters of a token. Shorter ones can be guessed.</summary>
    public const int MinLength = 16;

    /// <summary>Maximum number of characters of a token.</summary>
    public const int MaxLength = 512;

    private readonly byte[]? _act;
    private readonly byte[]? _watch;
    private readonly AccessLevel _watchersMay = AccessLevel.Watch;

    /// <param name="act">Token that allows everything; null: no token does.</param>
    /// <param name="watch">Token that allows only watching; null: not used.</param>
    public AccessTokens(string? act, string? watch)
    {
        _act = act is null ? null : Hash(act);
        _watch = watch is null ? null : Hash(watch);
        ForAgents = act ?? watch;
        ForWatching = watch;
    }

    private AccessTokens(AccessTokens others, AccessLevel watchersMay)
    {
        (_act, _watch, ForAgents, ForWatching) = (others._act, others._watch, others.ForAgents, others.ForWatching);
        _watchersMay = watchersMay;
    }

    /// <summary>No tokens: every client that can connect may do everything.</summary>
    public static AccessTokens None { get; } = new(null, null);

    /// <summary>Whether a token is needed.</summary>
    public bool AreNeeded => _act is not null || _watch is not null;

    /// <summary>The token that the daemon gives to the agents that it starts itself; null: they need none.</summary>
    internal string? ForAgents { get; }

    /// <summary>Whether there is a token that allows only watching, and another one that allows everything.</summary>
    public bool AreTwo => _act is not null && _watch is not null && !CryptographicOperations.FixedTimeEquals(_act, _watch);

    /// <summary>The token that allows only watching; null: none.</summary>
    internal string? ForWatching { get; }

    /// <summary>What a client with this token may do.</summary>
    /// <param name="token">The token; null or empty: none was sent.</param>
    public AccessLevel LevelOf(string? token)
    {
        if (!AreNeeded) return AccessLevel.Act;
        if (string.IsNullOrEmpty(token) || token.Length > MaxLength) return AccessLevel.None;
        var hash = Hash(token);
        // Always compare both: the duration must not reveal which one matched.
        var acts = CryptographicOperations.FixedTimeEquals(hash, _act ?? []);
        var watches = CryptographicOperations.FixedTimeEquals(hash, _watch ?? []);
        if (acts) return AccessLevel.Act;
        return watches ? _watchersMay : AccessLevel.None;
    }

    /// <summary>The same tokens for a playback of one client's own: a client that may watch may also act.</summary>
    public AccessTokens WhereWatchersAct() => new(this, AccessLevel.Act);

    /// <summary>The token in an <c>Authorization</c> header, "Bearer TOKEN", or null.</summary>
    public static string? FromAuthorization(string? header)
    {
        const string Scheme = "Bearer ";
        return header is not null && header.StartsWith(Scheme, StringComparison.OrdinalIgnoreCase) ? header[Scheme.Length..].Trim() : null;
    }

    /// <summary>Why a text cannot be a token; null if it is valid.</summary>
    public static string? Problem(string token)
    {
        if (token.Length is < MinLength or > MaxLength)
            return $"a token has {MinLength} to {MaxLength} characters, this one has {token.Length}";
        return token.AsSpan().ContainsAnyExceptInRange('!', '~') ? "a token consists of printable ASCII characters without spaces" : null;
    }

    private static byte[] Hash(string token) => SHA256.HashData(Encoding.UTF8.GetBytes(token));
}
