using Abathur.Protobuf.FieldMasks;
using Abathur.Sc2;

namespace Abathur.Sync.Frames;

/// <summary>A field mask on events (<see cref="SkippedEvents"/>).</summary>
internal static class MaskedEvents
{
    /// <summary>The events that the mask includes, as serialized fields of <c>ResponseObservation</c>; empty if there are none.</summary>
    public static ReadOnlyMemory<byte> Project(ReadOnlyMemory<byte> events, WireProjection mask)
    {
        var projected = SharedBuffer.Rent(events.Length);
        try
        {
            mask.Project(events.Span, projected);
            // A projection keeps messages without content.
            var masked = new SkippedEvents(int.MaxValue);
            masked.Add(projected.Span);
            return masked.ToFields();
        }
        finally
        {
            projected.Release();
        }
    }
}
