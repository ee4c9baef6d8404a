namespace Abathur.Sync.Relay;

/// <summary>A frame as the daemon sends it.</summary>
/// <param name="Sequence">Its number.</param>
/// <param name="GameLoop">Its game loop.</param>
/// <param name="IsKeyframe">Whether it can be decoded without those before it.</param>
/// <param name="Message">The <c>Frame</c> of the protocol, serialized. Valid until it has been taken.</param>
internal readonly record struct RelayedFrame(ulong Sequence, uint GameLoop, bool IsKeyframe, ReadOnlyMemory<byte> Message);
