using Abathur.Protobuf.Wire;
using Google.Protobuf;

namespace Abathur.Testing;

/// <summary>Checks what readers need that keep the last part of a message only: each message that occurs once is written once.</summary>
public static class OnePart
{
    /// <summary>The fields of a message are in the order of their numbers, and none of these messages occurs twice, down a path.</summary>
    /// <param name="message">The serialized message.</param>
    /// <param name="path">Numbers of the fields that lead to the innermost message.</param>
    public static void Assert(ReadOnlySpan<byte> message, params ReadOnlySpan<int> path)
    {
        var reader = new WireReader(message);
        var (last, found) = (0, 0);
        while (reader.ReadTag())
        {
            Xunit.Assert.True(reader.FieldNumber >= last, $"field {reader.FieldNumber} is behind field {last}");
            last = reader.FieldNumber;
            if (path.IsEmpty || reader.FieldNumber != path[0] || reader.WireType != WireFormat.WireType.LengthDelimited)
            {
                reader.SkipValue();
                continue;
            }
            Xunit.Assert.True(++found == 1, $"field {last} occurs {found} times");
            Assert(reader.ReadBytes(), path[1..]);
        }
    }
}
