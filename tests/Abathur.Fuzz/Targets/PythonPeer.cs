using System.Buffers.Binary;
using System.Diagnostics;
using System.Text;

namespace Abathur.Fuzz.Targets;

/// <summary>A program of the Python package that takes inputs, and answers what became of each: peers.py.</summary>
internal sealed class PythonPeer : IDisposable
{
    public const byte Refused = 0;
    public const byte Taken = 1;

    /// <summary>Another exception than the documented one, or a difference between two decoders.</summary>
    private const byte Broken = 2;

    private readonly Process _process;

    /// <param name="target">The target that needs it.</param>
    /// <param name="python">The interpreter with the package.</param>
    /// <param name="script">The program, beside this one.</param>
    public PythonPeer(string target, string python, string script)
    {
        if (python.Length == 0) throw new ArgumentException($"{target} needs --python PATH", nameof(python));
        var info = new ProcessStartInfo(python, [Path.Combine(AppContext.BaseDirectory, script)])
        {
            RedirectStandardInput = true,
            RedirectStandardOutput = true,
        };
        _process = Process.Start(info)!;
    }

    /// <summary>Gives it an input.</summary>
    /// <param name="input">The input.</param>
    /// <param name="number">The number that guides the mutations.</param>
    /// <param name="told">What was made of the input, or why it was refused.</param>
    /// <returns>What became of it.</returns>
    /// <exception cref="FuzzFailureException">What came out is wrong.</exception>
    public byte Take(ReadOnlySpan<byte> input, out int number, out byte[] told)
    {
        Send(input);
        Span<byte> head = stackalloc byte[9];
        var pipe = _process.StandardOutput.BaseStream;
        try
        {
            pipe.ReadExactly(head);
        }
        catch (EndOfStreamException)
        {
            throw new FuzzFailureException("the Python decoder has ended its process: see above");
        }
        number = BinaryPrimitives.ReadInt32LittleEndian(head[1..]);
        told = new byte[BinaryPrimitives.ReadInt32LittleEndian(head[5..])];
        pipe.ReadExactly(told);
        if (head[0] == Broken) throw new FuzzFailureException($"Python: {Encoding.UTF8.GetString(told)}");
        return head[0];
    }

    public void Dispose()
    {
        _process.StandardInput.Close();
        if (!_process.WaitForExit(10_000)) _process.Kill();
        _process.Dispose();
    }

    private void Send(ReadOnlySpan<byte> input)
    {
        Span<byte> length = stackalloc byte[4];
        BinaryPrimitives.WriteInt32LittleEndian(length, input.Length);
        var pipe = _process.StandardInput.BaseStream;
        pipe.Write(length);
        pipe.Write(input);
        pipe.Flush();
    }
}
