using System.Buffers;
using System.Runtime.CompilerServices;
using Abathur.Sync.Frames;
using Abathur.Sync.V1;

namespace Abathur.Sync.Transports.Socket;

/// <summary>
/// The first message of a subscription, a <see cref="ServerMessage"/> with the match. With the game's data it has a megabyte, so it is made
/// once, and all subscribers share its memory, also those that do not read it. Thread-safe.
/// </summary>
internal static class MatchMessages
{
    private static readonly ConditionalWeakTable<Match, Messages> Made = [];
    private static readonly Match NoMatch = new() { MapName = "none" };

    /// <summary>As a line of JSON. With a reference, which is the caller's.</summary>
    public static SharedBuffer Line(Match match) => Retained(Of(match).Line.Value);

    /// <summary>In protobuf, its length in front (four bytes, little-endian). With a reference, which is the caller's.</summary>
    public static SharedBuffer LengthPrefixed(Match match) => Retained(Of(match).LengthPrefixed.Value);

    /// <summary>Makes the line before it is needed: for a long one, this takes as long as some frames.</summary>
    /// <param name="match">The match; null: only uses the code for the first time.</param>
    public static void Prepare(Match? match) => _ = Of(match ?? NoMatch).Line.Value;

    private static Messages Of(Match match) => Made.GetValue(match, static match => new Messages(match));

    private static SharedBuffer Retained(SharedBuffer message)
    {
        message.Retain();
        return message;
    }

    private sealed class Messages(Match match)
    {
        public Lazy<SharedBuffer> Line { get; } = new(() => Written(match, JsonLine.Write));

        public Lazy<SharedBuffer> LengthPrefixed { get; } = new(() => Written(match, LengthPrefixedWire.Write));

        private static SharedBuffer Written(Match match, Action<IBufferWriter<byte>, ServerMessage> write)
        {
            var message = SharedBuffer.Rent();
            write(message, new ServerMessage { Match = match });
            return message;
        }
    }
}
