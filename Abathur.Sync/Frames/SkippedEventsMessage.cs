using System.Buffers;
using Abathur.Protobuf;
using SC2APIProtocol;

namespace Abathur.Sync.Frames;

/// <summary>What happened once in frames that a subscriber did not get, as its next frame carries it: <c>Frame.skipped_events</c>.
/// </summary>
/// <param name="message">Serialized <c>ResponseObservation</c> with these events; empty if there are none.</param>
/// <param name="isIncomplete">Whether some events are not kept any more.</param>
public sealed class SkippedEventsMessage(ReadOnlyMemory<byte> message, bool isIncomplete)
{
    private ReadOnlyMemory<byte>? _json;

    /// <summary>Serialized <c>ResponseObservation</c>; empty if there are no events.</summary>
    public ReadOnlyMemory<byte> Message => message;

    /// <summary>Whether some events are not kept any more.</summary>
    public bool IsIncomplete => isIncomplete;

    /// <summary>The same as ProtoJSON in UTF-8; empty if there are no events. Made once.</summary>
    public ReadOnlyMemory<byte> Json
    {
        get
        {
            if (_json is { } made) return made;
            var json = new ArrayBufferWriter<byte>();
            if (!message.IsEmpty) ProtoJsonTranscoder.For(ResponseObservation.Descriptor).ToJson(message.Span, json);
            _json = json.WrittenMemory;
            return json.WrittenMemory;
        }
    }
}
