using System.Diagnostics.CodeAnalysis;

namespace Abathur.Sync.Frames;

/// <summary>Reads single values out of a serialized <c>SC2APIProtocol.ResponseObservation</c> without parsing the message.</summary>
/// <remarks>
/// Walks the tags of the message and of <c>observation</c> (field 3), and skips everything else by its length; no allocation. As in
/// protobuf, fields may come in any order, the last value of a repeated scalar counts, and several <c>observation</c> fields are merged.
/// </remarks>
public static class ObservationWire
{
    private const uint ObservationField = 3;
    private const uint GameLoopField = 9;
    private const int MaxGroupDepth = 32;

    private enum WireType
    {
        Varint = 0,
        Fixed64 = 1,
        Length = 2,
        StartGroup = 3,
        EndGroup = 4,
        Fixed32 = 5,
    }

    /// <summary>The game loop (<c>observation.game_loop</c>); 0 where it is not set.</summary>
    /// <exception cref="InvalidDataException">This is not a serialized message; the message names the byte.</exception>
    public static uint ReadGameLoop(ReadOnlySpan<byte> responseObservation)
    {
        if (TryReadGameLoop(responseObservation, out var gameLoop, out var badOffset)) return gameLoop;
        ThrowMalformed(badOffset, responseObservation.Length);
        return 0;
    }

    /// <summary>The game loop (<c>observation.game_loop</c>), 0 where it is not set. False where this is not a serialized message.</summary>
    public static bool TryReadGameLoop(ReadOnlySpan<byte> responseObservation, out uint gameLoop) =>
        TryReadGameLoop(responseObservation, out gameLoop, out _);

    private static bool TryReadGameLoop(ReadOnlySpan<byte> message, out uint gameLoop, out int badOffset)
    {
        gameLoop = 0;
        var position = 0;
        while (position < message.Length)
        {
            badOffset = position;
            if (!TryReadTag(message, ref position, out var field, out var type)) return false;
            if (field == ObservationField && type == WireType.Length)
            {
                if (!TryReadLength(message, ref position, out var length)) return false;
                if (!TryReadInObservation(message.Slice(position, length), ref gameLoop, out var badInside))
                {
                    badOffset = position + badInside;
                    return false;
                }
                position += length;
            }
            else if (!TrySkip(message, ref position, field, type, 0))
            {
                return false;
            }
        }
        badOffset = -1;
        return true;
    }

    private static bool TryReadInObservation(ReadOnlySpan<byte> observation, ref uint gameLoop, out int badOffset)
    {
        var position = 0;
        while (position < observation.Length)
        {
            badOffset = position;
            if (!TryReadTag(observation, ref position, out var field, out var type)) return false;
            if (field == GameLoopField && type == WireType.Varint)
            {
                if (!TryReadVarint(observation, ref position, out var value)) return false;
                gameLoop = (uint)value;
            }
            else if (!TrySkip(observation, ref position, field, type, 0))
            {
                return false;
            }
        }
        badOffset = -1;
        return true;
    }

    private static bool TryReadTag(ReadOnlySpan<byte> from, ref int position, out uint field, out WireType type)
    {
        (field, type) = (0, WireType.Varint);
        if (!TryReadVarint(from, ref position, out var tag)) return false;
        // As protobuf does, bits beyond the 32nd are ignored.
        field = (uint)tag >> 3;
        type = (WireType)(tag & 7);
        return field != 0 && type <= WireType.Fixed32;
    }

    private static bool TryReadLength(ReadOnlySpan<byte> from, ref int position, out int length)
    {
        length = 0;
        if (!TryReadVarint(from, ref position, out var value) || value > (ulong)(from.Length - position)) return false;
        length = (int)value;
        return true;
    }

    private static bool TryReadVarint(ReadOnlySpan<byte> from, ref int position, out ulong value)
    {
        value = 0;
        for (var shift = 0; shift < 70; shift += 7)
        {
            if (position >= from.Length) return false;
            var next = from[position++];
            value |= (ulong)(next & 0x7F) << shift;
            if (next < 0x80) return true;
        }
        return false;
    }

    private static bool TrySkip(ReadOnlySpan<byte> from, ref int position, uint field, WireType type, int depth)
    {
        switch (type)
        {
            case WireType.Varint:
                return TryReadVarint(from, ref position, out _);
            case WireType.Fixed64:
                position += 8;
                return position <= from.Length;
            case WireType.Fixed32:
                position += 4;
                return position <= from.Length;
            case WireType.Length:
                if (!TryReadLength(from, ref position, out var length)) return false;
                position += length;
                return true;
            case WireType.StartGroup when depth < MaxGroupDepth:
                while (TryReadTag(from, ref position, out var inner, out var innerType))
                {
                    if (innerType == WireType.EndGroup) return inner == field;
                    if (!TrySkip(from, ref position, inner, innerType, depth + 1)) return false;
                }
                return false;
            default:
                return false;
        }
    }

    [DoesNotReturn]
    private static void ThrowMalformed(int offset, int length) => throw new InvalidDataException(
        $"not a serialized ResponseObservation: the {length} bytes cannot be read as protobuf from byte {offset} on");
}
