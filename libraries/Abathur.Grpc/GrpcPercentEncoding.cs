using System.Globalization;
using System.Text;

namespace Abathur.Grpc;

/// <summary>
/// The encoding of <c>grpc-message</c>: UTF-8 with everything outside 0x20..0x7e, and '%', as %XX. A text that encodes
/// to more than <see cref="MaxEncodedLength"/> is truncated at a character boundary: clients refuse headers of more than
/// about 8 KB, and would lose the status.
/// </summary>
internal static class GrpcPercentEncoding
{
    public const int MaxEncodedLength = 4096;

    public static string Encode(string message)
    {
        if (message.Length <= MaxEncodedLength && !message.AsSpan().ContainsAnyExceptInRange(' ', '~') && !message.Contains('%'))
            return message;
        var encoded = new StringBuilder(Math.Min(message.Length + 16, MaxEncodedLength));
        Span<byte> utf8 = stackalloc byte[4];
        foreach (var rune in message.EnumerateRunes())
        {
            var before = encoded.Length;
            foreach (var b in utf8[..rune.EncodeToUtf8(utf8)])
            {
                if (b is >= 0x20 and <= 0x7e && b != (byte)'%') encoded.Append((char)b);
                else encoded.Append('%').Append(b.ToString("X2", CultureInfo.InvariantCulture));
            }
            if (encoded.Length <= MaxEncodedLength) continue;
            encoded.Length = before;
            break;
        }
        return encoded.ToString();
    }
}
