using System.Buffers;
using Abathur.Columns.Tests;
using Abathur.Protobuf.FieldMasks;
using Abathur.Protobuf.Tests.FieldMasks;
using Abathur.Sc2;
using Google.Protobuf;
using SC2APIProtocol;

namespace Abathur.Fuzz.Targets;

/// <summary>The walk over wire bytes: game loop and end of an observation, and field masks. Against Google's parser.</summary>
internal sealed class WireTarget : IFuzzTarget
{
    // Google cuts tags and lengths of more than 32 bits short, and takes groups as deep as messages; here that is refused. A mask into a
    // field whose wire type is not that of a message is refused, where a parser takes it for an unknown field.
    private static readonly string[] AlsoRefused =
    [
        "out of range", "longer than its message", "invalid wire type", "is not a message", "longer than ten bytes",
    ];

    private static readonly string[][] Masks =
    [
        ["observation.game_loop"],
        ["observation.raw_data.units.tag", "observation.raw_data.units.pos.x", "chat"],
        ["observation.raw_data.units.orders.ability_id", "observation.player_common", "player_result.player_id"],
    ];

    private static readonly MessageParser<ResponseObservation> Known = ResponseObservation.Parser.WithDiscardUnknownFields(true);

    public string Name => "wire";

    public IReadOnlyList<byte[]> Tokens { get; } =
    [
        [0x1A], [0x48], [0x2A], [0x12, 0x00], [0xA3, 0x06], [0xA4, 0x06], [0x0B], [0x0C], [
            0xFF, 0xFF, 0xFF, 0xFF, 0x0F,
        ], [0x80, 0x80, 0x80, 0x80, 0x10],
        [0xC2, 0x01, 0x02, 0x08, 0x01],
    ];

    public int MaxBytes => 20_000;

    public IEnumerable<byte[]> Seeds(Random random)
    {
        var fuzz = new ObservationFuzz(random.Next());
        for (var i = 0; i < 40; i++)
        {
            var observation = fuzz.Next();
            if (observation.Length <= MaxBytes) yield return observation;
        }
    }

    public int Run(byte[] input)
    {
        var parsed = TryParse(Known, input);
        // Google reads a varint beyond the end of the message that holds it, and stops at a stray end of a group: it has read something
        // else than the bytes say then, which shows in the size of its own.
        var isPlain = parsed is not null && TryParse(ResponseObservation.Parser, input)?.CalculateSize() == input.Length;
        var outcome = new HashCode();
        outcome.Add(Loop(input, parsed, isPlain));
        foreach (var mask in Masks) outcome.Add(Project(input, mask, parsed, isPlain));
        return outcome.ToHashCode();
    }

    public void Dispose()
    {
    }

    private static int Loop(byte[] input, ResponseObservation? parsed, bool isPlain)
    {
        try
        {
            var (loop, hasResults) = Check.Within(0, () => ObservationWire.ReadGameLoopAndEnd(input));
            if (parsed is null || !isPlain) return 1;
            Check.That(loop == (parsed.Observation?.GameLoop ?? 0), $"game loop {loop}; Google: {parsed.Observation?.GameLoop}");
            Check.That(hasResults || parsed.PlayerResult.Count == 0, "the results were overlooked");
            return 2 + Check.Bucket(loop);
        }
        catch (InvalidDataException e)
        {
            return Refused(e, isPlain);
        }
    }

    private static int Project(byte[] input, string[] mask, ResponseObservation? parsed, bool isPlain)
    {
        var output = new ArrayBufferWriter<byte>(input.Length + 1);
        try
        {
            WireProjection.For(ResponseObservation.Descriptor, mask).Project(input, output);
        }
        catch (InvalidDataException e)
        {
            Check.That(output.WrittenCount == 0, "something was written before it was refused");
            return Refused(e, isPlain);
        }
        if (!isPlain) return 3;
        var expected = parsed!.Clone();
        Projected.Keep(expected, mask);
        Check.That(
            Known.ParseFrom(output.WrittenSpan).Equals(expected), $"a projection to {string.Join(',', mask)} is not what Google keeps");
        return 4 + Check.Bucket(output.WrittenCount);
    }

    private static int Refused(InvalidDataException e, bool isPlain)
    {
        Check.That(
            !isPlain || Array.Exists(AlsoRefused, why => e.Message.Contains(why, StringComparison.Ordinal)),
            $"refused, and Google takes it: {e.Message}");
        return e.Message.Split('(')[0].GetHashCode(StringComparison.Ordinal);
    }

    private static ResponseObservation? TryParse(MessageParser<ResponseObservation> parser, byte[] input)
    {
        try
        {
            return parser.ParseFrom(input);
        }
        catch (InvalidProtocolBufferException)
        {
            return null;
        }
    }
}
