using System.Buffers;
using System.Buffers.Binary;
using System.Runtime.CompilerServices;
using Abathur.Protobuf;
using Abathur.Sync.Frames;
using Abathur.Sync.V1;
using Google.Protobuf;

namespace Abathur.Sync.Transports.Framing;

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
        public Lazy<SharedBuffer> Line { get; } = new(() =>
        {
            var bytes = new ServerMessage { Match = match }.ToByteArray();
            var line = SharedBuffer.Rent(bytes.Length);
            ProtoJsonTranscoder.For(ServerMessage.Descriptor).ToJson(bytes, line);
            line.Write("\n"u8);
            return line;
        });

        public Lazy<SharedBuffer> LengthPrefixed { get; } = new(() =>
        {
            var message = new ServerMessage { Match = match };
            var bytes = message.CalculateSize();
            var prefixed = SharedBuffer.Rent(ProtoFraming.PrefixBytes + bytes);
            BinaryPrimitives.WriteUInt32LittleEndian(prefixed.GetSpan(ProtoFraming.PrefixBytes), (uint)bytes);
            prefixed.Advance(ProtoFraming.PrefixBytes);
            message.WriteTo((IBufferWriter<byte>)prefixed);
            return prefixed;
        });
    }
}
