namespace Abathur.Sync.Recordings.Mcap;

/// <summary>One message of a channel.</summary>
/// <param name="ChannelId">Its channel.</param>
/// <param name="Sequence">Number of the message as its publisher counts.</param>
/// <param name="LogTime">When it was recorded, in nanoseconds.</param>
/// <param name="PublishTime">When it was published, in nanoseconds.</param>
/// <param name="Data">The message. From a cursor: a view that is valid until the cursor moves.</param>
public readonly record struct McapMessage(
    ushort ChannelId, uint Sequence, ulong LogTime, ulong PublishTime, ReadOnlyMemory<byte> Data) : IMcapRecord
{
    /// <inheritdoc/>
    public McapOpcode Opcode => McapOpcode.Message;
}
