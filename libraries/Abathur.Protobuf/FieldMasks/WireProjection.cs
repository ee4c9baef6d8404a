using System.Buffers;
using System.Collections.Concurrent;
using Abathur.Protobuf.Wire;
using Google.Protobuf;
using Google.Protobuf.Reflection;

namespace Abathur.Protobuf.FieldMasks;

/// <summary>
/// A field mask applied to wire bytes: fields in the mask are copied, others are omitted, nothing is parsed. Order,
/// presence and encoding of copied fields do not change; fields unknown to the descriptor are copied only inside
/// messages that the mask includes completely.
/// </summary>
/// <remarks>
/// Paths follow <c>google.protobuf.FieldMask</c> with original field names ("observation.raw_data.units.pos"); unlike
/// there, a path may lead through repeated messages and then applies to each element.
/// </remarks>
public sealed class WireProjection
{
    /// <summary>Maximum number of paths of one mask.</summary>
    public const int MaxPaths = FieldMaskNode.MaxPaths;

    /// <summary>Maximum number of fields in one path.</summary>
    public const int MaxDepth = FieldMaskNode.MaxDepth;

    private const int MaxCached = 256;
    private static readonly ConcurrentDictionary<(MessageDescriptor Type, string Mask), WireProjection> Cache = new();

    private readonly FieldMaskNode _root;

    private WireProjection(FieldMaskNode root) => _root = root;

    /// <summary>The projection for a mask; the same object for the same mask.</summary>
    /// <exception cref="FieldMaskException">A path is empty, too long, or names a field that does not exist.</exception>
    public static WireProjection For(MessageDescriptor type, IReadOnlyCollection<string> paths)
    {
        FieldMaskNode.CheckCount(paths.Count);
        var key = (type, Canonical(paths));
        if (Cache.TryGetValue(key, out var cached)) return cached;
        var projection = new WireProjection(FieldMaskNode.Compile(type, paths));
        // A client that sends ever new masks must not fill the memory.
        if (Cache.Count < MaxCached) Cache.TryAdd(key, projection);
        return projection;
    }

    /// <summary>The same text for all masks with the same paths.</summary>
    public static string Canonical(IEnumerable<string> paths) => string.Join(',', paths.Order(StringComparer.Ordinal).Distinct());

    /// <summary>Writes the part of <paramref name="message"/> that the mask names. Throws <see cref="InvalidDataException"/> if it is not
    /// protobuf.</summary>
    public void Project(ReadOnlySpan<byte> message, IBufferWriter<byte> output)
    {
        // The length of a nested message precedes it, so lengths are measured first, in the order of writing.
        var lengths = ArrayPool<int>.Shared.Rent(1024);
        try
        {
            var count = 0;
            var total = Measure(message, _root, ref lengths, ref count);
            var next = 0;
            var written = Write(message, _root, output.GetSpan(total), lengths, ref next);
            output.Advance(written);
        }
        finally
        {
            ArrayPool<int>.Shared.Return(lengths);
        }
    }

    private static int Measure(ReadOnlySpan<byte> message, FieldMaskNode node, ref int[] lengths, ref int count)
    {
        var total = 0;
        var reader = new WireReader(message);
        while (reader.ReadTag())
        {
            var child = node.Child(reader.FieldNumber);
            if (child is null || child.IsWhole)
            {
                reader.SkipValue();
                if (child is not null) total += reader.Position - reader.FieldStart;
                continue;
            }
            var tagBytes = reader.Position - reader.FieldStart;
            var slot = Append(ref lengths, ref count);
            var length = Measure(ReadNested(ref reader), child, ref lengths, ref count);
            lengths[slot] = length;
            total += tagBytes + CodedOutputStream.ComputeLengthSize(length) + length;
        }
        return total;
    }

    private static int Write(ReadOnlySpan<byte> message, FieldMaskNode node, Span<byte> output, int[] lengths, ref int next)
    {
        var written = 0;
        var reader = new WireReader(message);
        while (reader.ReadTag())
        {
            var child = node.Child(reader.FieldNumber);
            if (child is null)
            {
                reader.SkipValue();
                continue;
            }
            if (child.IsWhole)
            {
                reader.SkipValue();
                var field = message[reader.FieldStart..reader.Position];
                field.CopyTo(output[written..]);
                written += field.Length;
                continue;
            }
            var tag = message[reader.FieldStart..reader.Position];
            tag.CopyTo(output[written..]);
            written += tag.Length;
            var length = lengths[next++];
            written += Varint.Write(output[written..], (uint)length);
            written += Write(ReadNested(ref reader), child, output[written..], lengths, ref next);
        }
        return written;
    }

    private static ReadOnlySpan<byte> ReadNested(ref WireReader reader)
    {
        if (reader.WireType != WireFormat.WireType.LengthDelimited)
            throw new InvalidDataException($"field {reader.FieldNumber} is not a message");
        return reader.ReadBytes();
    }

    private static int Append(ref int[] lengths, ref int count)
    {
        if (count == lengths.Length)
        {
            var larger = ArrayPool<int>.Shared.Rent(2 * lengths.Length);
            lengths.CopyTo(larger, 0);
            ArrayPool<int>.Shared.Return(lengths);
            lengths = larger;
        }
        return count++;
    }
}
