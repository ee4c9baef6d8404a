namespace Abathur.Sync.Relay;

/// <summary>Why a relay cannot publish its match.</summary>
internal sealed class RelayException(string message, Exception? inner = null) : Exception(message, inner);
