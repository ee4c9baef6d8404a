using System.Buffers.Binary;
using System.Diagnostics;
using Abathur.Columns;
using Abathur.Columns.Decoding;
using Abathur.Columns.Tables;
using Google.Protobuf;
using SC2APIProtocol;

namespace Abathur.Fuzz.Targets;

/// <summary>
/// The decoder of the Python package beside that of C#: both take a payload, and give the same observation, or both refuse it. The lines
/// of Python that an input reaches for the first time guide the mutations.
/// </summary>
internal sealed class ColumnsPythonTarget : IFuzzTarget
{
    public const string TargetName = "columns-python";

    private const byte Refused = 0;
    private const byte Taken = 1;
    private readonly Process _python;
    private int _reached;

    /// <param name="python">The interpreter with the package.</param>
    public ColumnsPythonTarget(string python)
    {
        if (python.Length == 0) throw new ArgumentException($"{TargetName} needs --python PATH", nameof(python));
        var info = new ProcessStartInfo(python, [Path.Combine(AppContext.BaseDirectory, "columns_peer.py")])
        {
            RedirectStandardInput = true,
            RedirectStandardOutput = true,
        };
        _python = Process.Start(info)!;
    }

    public string Name => TargetName;

    public IReadOnlyList<byte[]> Tokens => ColumnsFrames.Tokens;

    public int MaxBytes => 20_000;

    public IEnumerable<byte[]> Seeds(Random random) => ColumnsFrames.Seeds(random, MaxBytes);

    public int Run(byte[] input)
    {
        var decoder = new ColumnsDecoder();
        Send([]);
        Receive(out _, out _);
        var before = _reached;
        foreach (var payload in ColumnsFrames.Split(input))
        {
            var expected = Peek(decoder, payload, out var refusal);
            Send(payload);
            var isTaken = Receive(out var actual, out _reached);
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

    public void Dispose()
    {
        _python.StandardInput.Close();
        if (!_python.WaitForExit(10_000)) _python.Kill();
        _python.Dispose();
    }

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

    private void Send(ReadOnlySpan<byte> payload)
    {
        Span<byte> length = stackalloc byte[4];
        BinaryPrimitives.WriteInt32LittleEndian(length, payload.Length);
        var pipe = _python.StandardInput.BaseStream;
        pipe.Write(length);
        pipe.Write(payload);
        pipe.Flush();
    }

    private bool Receive(out byte[] observation, out int reached)
    {
        Span<byte> head = stackalloc byte[9];
        var pipe = _python.StandardOutput.BaseStream;
        try
        {
            pipe.ReadExactly(head);
        }
        catch (EndOfStreamException)
        {
            throw new FuzzFailureException("the Python decoder has ended its process: see above");
        }
        reached = BinaryPrimitives.ReadInt32LittleEndian(head[1..]);
        observation = new byte[BinaryPrimitives.ReadInt32LittleEndian(head[5..])];
        pipe.ReadExactly(observation);
        Check.That(head[0] is Refused or Taken, $"Python: {System.Text.Encoding.UTF8.GetString(observation)}");
        return head[0] == Taken;
    }
}
