using System.Runtime.Intrinsics;
using System.Text;

namespace Abathur.Protobuf.ProtoJson.Schema;

/// <summary>One name of an enum as it stands in JSON.</summary>
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

    /// <summary>Whether <see cref="Short"/> is all of it.</summary>
    public bool IsShort { get; }

    /// <summary>The first bytes of <see cref="Quoted"/>, to be compared or copied at once; zeros behind its end.</summary>
    public Vector256<byte> Short { get; }

    /// <summary>Ones where <see cref="Short"/> counts.</summary>
    public Vector256<byte> Mask { get; }
}
