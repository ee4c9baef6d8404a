namespace Abathur.Mcap;

/// <summary>Counts messages during a scan.</summary>
internal sealed class ScanCounts
{
    private readonly Dictionary<ushort, ulong> _byChannel = [];
    private ulong _messages, _firstTime, _lastTime;

    public void Add(in McapMessage message)
    {
        _byChannel[message.ChannelId] = _byChannel.GetValueOrDefault(message.ChannelId) + 1;
        _firstTime = _messages == 0 ? message.LogTime : Math.Min(_firstTime, message.LogTime);
        _lastTime = Math.Max(_lastTime, message.LogTime);
        _messages++;
    }

    public McapStatistics ToStatistics(McapContents contents) => new(
        _messages, (ushort)contents.Schemas.Count, (uint)contents.Channels.Count, (uint)contents.Attachments.Count,
        (uint)contents.Metadata.Count, (uint)contents.Chunks.Count, _firstTime, _lastTime, _byChannel);
}
