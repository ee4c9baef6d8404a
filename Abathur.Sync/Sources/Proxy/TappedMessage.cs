using Abathur.Sync.Frames;

namespace Abathur.Sync.Sources.Proxy;

/// <summary>A message that has passed, as the tap sees it. Times are timestamps of the clock.</summary>
/// <param name="FromGame">Whether the game sent it, rather than the bot.</param>
/// <param name="Payload">A serialized <c>Request</c> or <c>Response</c>; its reference goes with the message.</param>
/// <param name="FirstByte">When its first byte had been received.</param>
/// <param name="PassedOn">When its last byte had been passed on.</param>
/// <param name="Held">How long its bytes were here, all together.</param>
internal readonly record struct TappedMessage(bool FromGame, SharedBuffer Payload, long FirstByte, long PassedOn, TimeSpan Held);
