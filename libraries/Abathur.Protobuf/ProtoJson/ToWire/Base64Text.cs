using System.Buffers;
using System.Buffers.Text;

namespace Abathur.Protobuf.ProtoJson.ToWire;

/// <summary>Base64 as ProtoJSON allows it: in both alphabets, with or without padding, and with white space.</summary>
internal static class Base64Text
{
    /// <summary>Maximum output of <see cref="Decode"/> for this number of characters.</summary>
    public static int MaxBytes(int characters) => (characters / 4 * 3) + 3;

    /// <summary>Decodes a text in canonical form: standard alphabet, padded, without white space. False for any other.</summary>
    public static bool TryDecodePlain(ReadOnlySpan<byte> text, Span<byte> output, out int written)
    {
        // The output is shorter if the text has white space, which the decoder skips.
        var padding = text.EndsWith("=="u8) ? 2 : text.EndsWith("="u8) ? 1 : 0;
        return Base64.DecodeFromUtf8(text, output, out var consumed, out written) == OperationStatus.Done
            && consumed == text.Length && written == (text.Length / 4 * 3) - padding && text.Length % 4 == 0;
    }

    /// <summary>Writes the bytes and returns how many; -1 if the text is not base64.</summary>
    public static int Decode(ReadOnlySpan<byte> text, Span<byte> output)
    {
        if (Base64.DecodeFromUtf8(text, output, out var consumed, out var written) == OperationStatus.Done && consumed == text.Length)
            return written;
        var plain = ArrayPool<byte>.Shared.Rent(text.Length + 3);
        try
        {
            var length = Normalize(text, plain);
            if (length < 0) return -1;
            return Base64.DecodeFromUtf8(plain.AsSpan(0, length), output, out consumed, out written) == OperationStatus.Done
                && consumed == length
                ? written
                : -1;
        }
        finally
        {
            ArrayPool<byte>.Shared.Return(plain);
        }
    }

    private static int Normalize(ReadOnlySpan<byte> text, Span<byte> plain)
    {
        var length = 0;
        foreach (var each in text)
        {
            if (each is (byte)' ' or (byte)'\t' or (byte)'\r' or (byte)'\n') continue;
            plain[length++] = each switch
            {
                (byte)'-' => (byte)'+',
                (byte)'_' => (byte)'/',
                _ => each,
            };
        }
        if (length % 4 == 1 || (length % 4 != 0 && plain[..length].IndexOf((byte)'=') >= 0)) return -1;
        while (length % 4 != 0) plain[length++] = (byte)'=';
        ClearSpareBits(plain[..length]);
        return length;
    }

    // The last character before the padding has two or four unused bits, which may be set.
    private static void ClearSpareBits(Span<byte> plain)
    {
        if (plain.Length < 4 || plain[^1] != '=') return;
        ref var last = ref plain[plain[^2] == '=' ? ^3 : ^2];
        var value = Alphabet.IndexOf(last);
        if (value >= 0) last = Alphabet[value & (plain[^2] == '=' ? 0x30 : 0x3C)];
    }

    private static ReadOnlySpan<byte> Alphabet => "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"u8;
}
