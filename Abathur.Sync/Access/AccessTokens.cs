using System.Security.Cryptography;
using System.Text;

namespace Abathur.Sync.Access;

/// <summary>Who may do what: the tokens that the daemon knows. Compared in constant time; never written anywhere.</summary>
public sealed class AccessTokens
{
    /// <summary>Characters that a token has at least. Shorter ones can be guessed.</summary>
    public const int MinLength = 16;

    /// <summary>Characters that a token has at most.</summary>
    public const int MaxLength = 512;

    private readonly byte[]? _act;
    private readonly byte[]? _watch;
    private readonly AccessLevel _watchersMay = AccessLevel.Watch;

    /// <param name="act">Token of those who may do everything; null: nobody may by a token.</param>
    /// <param name="watch">Token of those who may only see; null: there is none.</param>
    public AccessTokens(string? act, string? watch)
    {
        _act = act is null ? null : Hash(act);
        _watch = watch is null ? null : Hash(watch);
        ForAgents = act ?? watch;
    }

    private AccessTokens(AccessTokens others, AccessLevel watchersMay)
    {
        (_act, _watch, ForAgents) = (others._act, others._watch, others.ForAgents);
        _watchersMay = watchersMay;
    }

    /// <summary>Without tokens everybody who can connect may do everything.</summary>
    public static AccessTokens None { get; } = new(null, null);

    /// <summary>Whether a token is needed.</summary>
    public bool AreNeeded => _act is not null || _watch is not null;

    /// <summary>What the daemon gives to the agents that it starts itself; null: they need none.</summary>
    internal string? ForAgents { get; }

    /// <summary>What a client with this token may do.</summary>
    /// <param name="token">The token; null or empty: none was shown.</param>
    public AccessLevel LevelOf(string? token)
    {
        if (!AreNeeded) return AccessLevel.Act;
        if (string.IsNullOrEmpty(token) || token.Length > MaxLength) return AccessLevel.None;
        var hash = Hash(token);
        // Both, always: the time must not say which it was.
        var acts = CryptographicOperations.FixedTimeEquals(hash, _act ?? []);
        var watches = CryptographicOperations.FixedTimeEquals(hash, _watch ?? []);
        if (acts) return AccessLevel.Act;
        return watches ? _watchersMay : AccessLevel.None;
    }

    /// <summary>The same tokens where there is nothing that one client could spoil for another: a client that may watch may act.</summary>
    public AccessTokens WhereWatchersAct() => new(this, AccessLevel.Act);

    /// <summary>The token in an <c>Authorization</c> header, "Bearer TOKEN"; null where there is none.</summary>
    public static string? FromAuthorization(string? header)
    {
        const string Scheme = "Bearer ";
        return header is not null && header.StartsWith(Scheme, StringComparison.OrdinalIgnoreCase) ? header[Scheme.Length..].Trim() : null;
    }

    /// <summary>Why a text cannot be a token; null where it can.</summary>
    public static string? Problem(string token)
    {
        if (token.Length is < MinLength or > MaxLength) return $"a token has {MinLength} to {MaxLength} characters, this one has {token.Length}";
        return token.AsSpan().ContainsAnyExceptInRange('!', '~') ? "a token is of printable ASCII without spaces" : null;
    }

    private static byte[] Hash(string token) => SHA256.HashData(Encoding.UTF8.GetBytes(token));
}
