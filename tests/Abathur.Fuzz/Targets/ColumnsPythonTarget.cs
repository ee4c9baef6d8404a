using Abathur.Columns;
using Abathur.Columns.Decoding;
using Abathur.Columns.Tables;
using Google.Protobuf;
using SC2APIProtocol;

namespace Abathur.Fuzz.Targets;

/// <summary>
/// The decoders of the Python package, in NumPy and compiled, beside that of C#: all take a payload, and give the same observation, or all
/// refuse it. The lines of Python that an input reaches for the first time guide the mutations.
/// </summary>
internal sealed class ColumnsPythonTarget : IFuzzTarget
{
    public const string TargetName = "columns-python";

    private readonly PythonPeer _peer;
    private int _reached;

    /// <param name="python">The interpreter with the package.</param>
    public ColumnsPythonTarget(string python) => _peer = new(TargetName, python, "columns_peer.py");

    public string Name => TargetName;

    public IReadOnlyList<byte[]> Tokens => ColumnsFrames.Tokens;

    public int MaxBytes => 20_000;

    public IEnumerable<byte[]> Seeds(Random random) => ColumnsFrames.Seeds(random, MaxBytes);

    public int Run(byte[] input)
    {
        var decoder = new ColumnsDecoder();
        _peer.Take([], out _, out _);
        var before = _reached;
        foreach (var payload in ColumnsFrames.Split(input))
        {
            var expected = Peek(decoder, payload, out var refusal);
            var isTaken = _peer.Take(payload, out _reached, out var actual) == PythonPeer.Taken;
            Check.That(
                isTaken == (expected is not null),
                $"Python {(isTaken ? "takes" : "refuses")} what C# {(isTaken ? "refuses" : "takes")}: "
                    + $"{refusal}{(isTaken ? "" : System.Text.Encoding.UTF8.GetString(actual))}");
            if (expected is null || !IsProtobuf(decoder)) continue;
            var (one, other) = (TryParse(expected), TryParse(actual));
            if (!Equals(one, other))
                throw new FuzzFailureException($"Python and C# read different observations: {Difference($"{one}", $"{other}")}");
        }
        return _reached > before ? _reached : 0;
    }

    public void Dispose() => _peer.Dispose();

    private static byte[]? Peek(ColumnsDecoder decoder, byte[] payload, out string refusal)
    {
        refusal = "";
        try
        {
            decoder.Decode(payload);
        }
        catch (InvalidDataException e)
        {
            refusal = e.Message;
            return null;
        }
        var output = new System.Buffers.ArrayBufferWriter<byte>();
        decoder.WriteObservation(output);
        return output.WrittenSpan.ToArray();
    }

    /// <summary>Whether what travels as it is, the rest and the extras, can be parsed by itself: else it swallows what is written behind
    /// it.</summary>
    private static bool IsProtobuf(ColumnsDecoder decoder)
    {
        if (decoder.TryGetBlob(BlobId.Rest, out var rest) && TryParse(rest.ToArray()) is null) return false;
        if (!decoder.TryGetBlob(BlobId.Extras, out var extras)) return true;
        var records = new ExtrasReader(extras.Span);
        while (records.TryRead(out _, out _, out var fields))
        {
            if (TryParse(fields.ToArray()) is null) return false;
        }
        return true;
    }

    private static ResponseObservation? TryParse(byte[] bytes)
    {
        try
        {
            return ResponseObservation.Parser.ParseFrom(bytes);
        }
        catch (InvalidProtocolBufferException)
        {
            return null;
        }
    }

    private static string Difference(string one, string other)
    {
        var at = Math.Max(0, one.AsSpan().CommonPrefixLength(other) - 20);
        return $"C# {one[at..Math.Min(one.Length, at + 60)]} Python {other[Math.Min(at, other.Length)..Math.Min(other.Length, at + 60)]}";
    }
}
