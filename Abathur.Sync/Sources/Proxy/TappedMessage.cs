using Abathur.Sync.Frames;

namespace Abathur.Sync.Sources.Proxy;

/// <summary>A relayed message for the tap. Times are timestamps of the clock.</summary>
/// <param name="FromGame">Whether the game sent it, rather than the bot.</param>
/// <param name="Payload">A serialized <c>Request</c> or <c>Response</c>; the receiver of the message releases it.</param>
/// <param name="FirstByte">When its first byte was received.</param>
/// <param name="PassedOn">When its last byte was forwarded.</param>
/// <param name="Held">How long the proxy held its bytes, all together.</param>
internal readonly record struct TappedMessage(bool FromGame, SharedBuffer Payload, long FirstByte, long PassedOn, TimeSpan Held);
