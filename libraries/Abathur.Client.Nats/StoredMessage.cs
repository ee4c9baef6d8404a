using Abathur.Client.Nats.Wire;

namespace Abathur.Client.Nats;

/// <summary>A message of the stream of a match.</summary>
/// <param name="Position">Its place in the stream.</param>
/// <param name="Stamp">What its headers say; null: no relay published it.</param>
/// <param name="Data">A <c>Frame</c>, or why no frame follows.</param>
internal sealed record StoredMessage(ulong Position, RelayStamp? Stamp, ReadOnlyMemory<byte> Data);
