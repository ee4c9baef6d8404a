using Abathur.Client.Nats.Wire;

namespace Abathur.Sync.Relay;

/// <summary>Why a relay cannot publish its match.</summary>
internal sealed class RelayException(string message, Exception? inner = null) : NatsProblemException(message, inner);
