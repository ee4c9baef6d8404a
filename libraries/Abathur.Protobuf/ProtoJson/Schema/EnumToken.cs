using System.Runtime.Intrinsics;
using System.Text;

namespace Abathur.Protobuf.ProtoJson.Schema;

/// <summary>One name of an enum in JSON.</summary>
internal sealed class EnumToken
{
    public EnumToken(string name, int number)
    {
        Number = number;
        Quoted = Encoding.UTF8.GetBytes($"\"{name}\"");
        IsShort = Quoted.Length <= Vector256<byte>.Count;
        Span<byte> padded = stackalloc byte[Vector256<byte>.Count];
        Quoted.AsSpan(0, Math.Min(Quoted.Length, padded.Length)).CopyTo(padded);
        Short = Vector256.Create<byte>(padded);
        Mask = ~Vector256.Equals(Short, Vector256<byte>.Zero);
    }

    public int Number { get; }

    /// <summary>The name in quotes.</summary>
    public byte[] Quoted { get; }

    /// <summary>Whether <see cref="Short"/> has the complete name.</summary>
    public bool IsShort { get; }

    /// <summary>The first bytes of <see cref="Quoted"/>, to be compared or copied at once; zeros after its end.</summary>
    public Vector256<byte> Short { get; }

    /// <summary>Bit mask of the valid bytes of <see cref="Short"/>.</summary>
    public Vector256<byte> Mask { get; }
}
