using System.Buffers;
using System.Runtime.InteropServices;

namespace Abathur.Sync.Tests.Sources.Synth;

/// <summary>Reads <c>shared/sequences/*.obs.zst</c>: delimited observations under zstd with a window of 27 bits.</summary>
internal static unsafe partial class SequenceFile
{
    /// <summary>The first frames of a file, each a <c>ResponseObservation</c>.</summary>
    public static List<byte[]> Read(string path, int frames)
    {
        var compressed = File.ReadAllBytes(path);
        var all = new ArrayBufferWriter<byte>(1 << 20);
        var stream = CreateStream();
        try
        {
            _ = SetParameter(stream, 100, 27);
            fixed (byte* source = compressed)
            {
                var input = new Buffer { Data = source, Size = (nuint)compressed.Length };
                while (input.Position < input.Size && all.WrittenCount < frames * 120_000L)
                {
                    fixed (byte* target = all.GetSpan(1 << 20))
                    {
                        var output = new Buffer { Data = target, Size = 1 << 20 };
                        var result = Decompress(stream, ref output, ref input);
                        if (result > nuint.MaxValue - 200) throw new InvalidDataException($"{path}: zstd error {-(long)result}");
                        all.Advance((int)output.Position);
                    }
                }
            }
        }
        finally
        {
            _ = FreeStream(stream);
        }

        return Split(all.WrittenSpan, frames);
    }

    private static List<byte[]> Split(ReadOnlySpan<byte> bytes, int limit)
    {
        var frames = new List<byte[]>();
        while (bytes.Length > 4 && frames.Count < limit)
        {
            int length = 0, shift = 0, at = 0;
            do
            {
                length |= (bytes[at] & 127) << shift;
                shift += 7;
            }
            while (bytes[at++] >= 128);
            if (bytes.Length < at + length) break;
            frames.Add(bytes.Slice(at, length).ToArray());
            bytes = bytes[(at + length)..];
        }

        return frames;
    }

    [LibraryImport("libzstd.so.1", EntryPoint = "ZSTD_createDStream")]
    private static partial nint CreateStream();

    [LibraryImport("libzstd.so.1", EntryPoint = "ZSTD_freeDStream")]
    private static partial nuint FreeStream(nint stream);

    [LibraryImport("libzstd.so.1", EntryPoint = "ZSTD_DCtx_setParameter")]
    private static partial nuint SetParameter(nint stream, int parameter, int value);

    [LibraryImport("libzstd.so.1", EntryPoint = "ZSTD_decompressStream")]
    private static partial nuint Decompress(nint stream, ref Buffer output, ref Buffer input);

    [StructLayout(LayoutKind.Sequential)]
    private struct Buffer
    {
        public byte* Data;
        public nuint Size;
        public nuint Position;
    }
}
