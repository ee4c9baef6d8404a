using System.Buffers;
using Abathur.Protobuf;
using Abathur.Protobuf.FieldMasks;
using Abathur.Sc2;
using SC2APIProtocol;

namespace Abathur.Sync.Frames;

/// <summary>What happened once in frames that a subscriber did not get, as its next frame carries it: <c>Frame.skipped_events</c>.
/// </summary>
/// <param name="message">Serialized <c>ResponseObservation</c> with these events; empty if there are none.</param>
/// <param name="isIncomplete">Whether some events are not kept any more.</param>
public sealed class SkippedEventsMessage(ReadOnlyMemory<byte> message, bool isIncomplete)
{
    private ReadOnlyMemory<byte>? _json;

    /// <summary>A message of events; null if there are none.</summary>
    /// <param name="events">The events.</param>
    /// <param name="mask">Field mask of the subscriber; null: everything.</param>
    /// <param name="isIncomplete">Whether some are not kept any more, besides those that <paramref name="events"/> has dropped.</param>
    internal static SkippedEventsMessage? Of(SkippedEvents events, WireProjection? mask, bool isIncomplete = false)
    {
        isIncomplete |= events.IsIncomplete;
        var message = events.ToFields();
        if (mask is not null && !message.IsEmpty) message = MaskedEvents.Project(message, mask);
        return message.IsEmpty && !isIncomplete ? null : new SkippedEventsMessage(message.ToArray(), isIncomplete);
    }

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
