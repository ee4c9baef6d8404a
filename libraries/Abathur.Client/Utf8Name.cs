using System.Text;

namespace Abathur.Client;

/// <summary>Compares texts with their UTF-8 bytes, without allocating.</summary>
internal static class Utf8Name
{
    /// <summary>Whether the bytes are the UTF-8 of a short text.</summary>
    public static bool Is(string text, ReadOnlySpan<byte> bytes)
    {
        Span<byte> buffer = stackalloc byte[256];
        return Encoding.UTF8.TryGetBytes(text, buffer, out var size) && bytes.SequenceEqual(buffer[..size]);
    }
}
