using System.Buffers;
using System.Buffers.Binary;
using Abathur.Columns;
using Abathur.Columns.Tests;

namespace Abathur.Fuzz.Targets;

/// <summary>An input of the columns targets: the payloads of a short stream, each behind its length in two bytes, little-endian.</summary>
internal static class ColumnsFrames
{
    /// <summary>Payloads that one input may have.</summary>
    public const int Most = 4;

    /// <summary>Bytes that mean something in a payload.</summary>
    public static IReadOnlyList<byte[]> Tokens { get; } =
    [
        [1, 1], [1, 0], [1, 1, 0, 0], [0xFF, 0xFF, 0xFF, 0, 0], [0xFF, 0, 0, 1, 0], [
            0xFF, 0xFF, 0xFF, 0xFF, 0xFF,
        ], [0], [0x2D], [0x6D], [0xAD], [0xED], [8], [9],
    ];

    /// <summary>Streams of an encoder: keyframes, and frames that depend on them.</summary>
    public static IEnumerable<byte[]> Seeds(Random random, int maxBytes)
    {
        for (var i = 0; i < 60; i++)
        {
            var (fuzz, encoder, payload) = (new ObservationFuzz(random.Next()), new ColumnsEncoder(), new ArrayBufferWriter<byte>());
            var input = new List<byte>();
            for (var frame = 0; frame < 1 + (i % Most); frame++)
            {
                payload.ResetWrittenCount();
                encoder.Encode(fuzz.Next(), frame > 0 && random.Next(5) == 0, payload);
                if (payload.WrittenCount > ushort.MaxValue) break;
                input.AddRange(BitConverter.GetBytes((ushort)payload.WrittenCount));
                input.AddRange(payload.WrittenSpan);
            }
            if (input.Count <= maxBytes) yield return [.. input];
        }
    }

    /// <summary>The payloads of an input; one that is cut off ends where the input does.</summary>
    public static List<byte[]> Split(ReadOnlySpan<byte> input)
    {
        var payloads = new List<byte[]>();
        while (input.Length >= 2 && payloads.Count < Most)
        {
            var length = Math.Min(BinaryPrimitives.ReadUInt16LittleEndian(input), input.Length - 2);
            payloads.Add(input.Slice(2, length).ToArray());
            input = input[(2 + length)..];
        }
        return payloads;
    }
}
