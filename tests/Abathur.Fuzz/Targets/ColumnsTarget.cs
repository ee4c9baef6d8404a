using System.Buffers;
using Abathur.Columns;
using Google.Protobuf;
using SC2APIProtocol;

namespace Abathur.Fuzz.Targets;

/// <summary>The decoder of the columns encoding.</summary>
internal sealed class ColumnsTarget : IFuzzTarget
{
    // The largest tables that the format allows, doubled while they grow.
    private const long MaxAllocated = 400L << 20;
    private readonly byte[] _keyframe;
    private readonly ResponseObservation _observation;

    public ColumnsTarget()
    {
        _observation = new ResponseObservation
        {
            Observation = new Observation { GameLoop = 7, RawData = new ObservationRaw { Units = { new Unit { Tag = 1 } } } },
        };
        var payload = new ArrayBufferWriter<byte>();
        new ColumnsEncoder().Encode(_observation.ToByteArray(), true, payload);
        _keyframe = payload.WrittenSpan.ToArray();
    }

    public string Name => "columns";

    public IReadOnlyList<byte[]> Tokens => ColumnsFrames.Tokens;

    public int MaxBytes => 20_000;

    public IEnumerable<byte[]> Seeds(Random random) => ColumnsFrames.Seeds(random, MaxBytes);

    public int Run(byte[] input)
    {
        var outcome = new HashCode();
        var decoder = new ColumnsDecoder();
        foreach (var payload in ColumnsFrames.Split(input)) outcome.Add(Take(decoder, payload, out _));
        // Whatever came before, a keyframe makes it whole.
        Take(decoder, _keyframe, out var last);
        Check.That(last is not null
            && ResponseObservation.Parser.ParseFrom(last).Equals(_observation), "a keyframe does not make the stream whole");
        return outcome.ToHashCode();
    }

    /// <summary>Gives a decoder a payload.</summary>
    /// <param name="decoder">The decoder.</param>
    /// <param name="payload">The payload.</param>
    /// <param name="observation">What it holds then; null if it was refused.</param>
    /// <returns>What became of it, in short.</returns>
    public static int Take(ColumnsDecoder decoder, byte[] payload, out byte[]? observation)
    {
        observation = null;
        try
        {
            Check.Within(MaxAllocated, () =>
            {
                decoder.Decode(payload);
                return true;
            });
        }
        catch (InvalidDataException e)
        {
            return string.Concat(e.Message.Where(char.IsAsciiLetter)).GetHashCode(StringComparison.Ordinal);
        }
        var output = new ArrayBufferWriter<byte>();
        decoder.WriteObservation(output);
        observation = output.WrittenSpan.ToArray();
        return HashCode.Combine(
            Check.Bucket(decoder.IsUsed.Length), Check.Bucket(output.WrittenCount),
            payload.Length > 3 ? payload[2] | (payload[3] << 8) : 0);
    }

    public void Dispose()
    {
    }
}
