using Google.Protobuf;

namespace Abathur.Client;

/// <summary>The tag and the length before a value that is serialized already. Abathur.Client.Nats compiles this file as well.</summary>
internal static class FieldHead
{
    /// <summary>Most bytes that they take.</summary>
    public const int MaxBytes = 1 + 5;

    /// <summary>Writes the tag and the length of a field at the end of a buffer of <see cref="MaxBytes"/>.</summary>
    /// <param name="head">Where it is written.</param>
    /// <param name="field">Number of the field, 1 to 15.</param>
    /// <param name="length">Bytes of its value.</param>
    /// <returns>Where the tag begins.</returns>
    public static int WriteBefore(Span<byte> head, int field, int length)
    {
        var start = MaxBytes - 1 - CodedOutputStream.ComputeLengthSize(length);
        var at = start;
        head[at++] = (byte)WireFormat.MakeTag(field, WireFormat.WireType.LengthDelimited);
        var rest = (uint)length;
        for (; rest > 0x7f; rest >>= 7) head[at++] = (byte)(rest | 0x80);
        head[at] = (byte)rest;
        return start;
    }
}
