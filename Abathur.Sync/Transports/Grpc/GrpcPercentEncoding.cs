using System.Text;

namespace Abathur.Sync.Transports.Grpc;

/// <summary>The encoding of <c>grpc-message</c>: UTF-8 with everything outside 0x20..0x7e, and '%', as %XX.</summary>
internal static class GrpcPercentEncoding
{
    public static string Encode(string message)
    {
        if (!message.AsSpan().ContainsAnyExceptInRange(' ', '~') && !message.Contains('%')) return message;
        var encoded = new StringBuilder(message.Length + 16);
        foreach (var b in Encoding.UTF8.GetBytes(message))
        {
            if (b is >= 0x20 and <= 0x7e && b != (byte)'%') encoded.Append((char)b);
            else encoded.Append('%').Append(Convert.ToHexString([b]));
        }
        return encoded.ToString();
    }
}
