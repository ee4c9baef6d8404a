namespace Abathur.Client;

/// <summary>The directory of the matches that this user's daemons publish on this machine.</summary>
internal static class LocalMatches
{
    /// <summary>What the address of a match begins with.</summary>
    public const string Prefix = "match:";

    /// <summary>The address of the socket of a match.</summary>
    /// <exception cref="ArgumentException">No daemon on this machine publishes a match with this name, or the directory cannot be
    /// trusted.</exception>
    public static string SocketOf(string name)
    {
        if (name.Length == 0 || name != Path.GetFileName(name))
            throw new ArgumentException($"'{Prefix}{name}' is not an address: expected {Prefix}NAME");
        if (LocalMatch.Read(Path.Combine(Folder(), $"{name}.json"))?.Addresses.GetValueOrDefault("socket") is { } address) return address;
        var running = string.Join(", ", LocalMatch.List().Select(each => each.Name));
        throw new ArgumentException(
            $"no daemon on this machine publishes a match with the name {name}: "
            + (running.Length > 0 ? $"there are {running}" : "none runs"));
    }

    private static string Folder()
    {
        try
        {
            return MatchesFolder.Find();
        }
        catch (Exception e) when (e is IOException or UnauthorizedAccessException)
        {
            throw new ArgumentException($"the matches on this machine cannot be read: {e.Message}", e);
        }
    }
}
