namespace Abathur.Client.Nats.Wire;

/// <summary>There is no match of a name on the servers.</summary>
internal sealed class MatchMissingException(string match) : Exception($"there is no match '{match}'");
