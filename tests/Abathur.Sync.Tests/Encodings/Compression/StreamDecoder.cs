using System.Buffers;
using System.IO.Compression;
using Abathur.Sync.Encodings.Compression;
using V1Compression = Abathur.Sync.V1.Compression;

namespace Abathur.Sync.Tests.Encodings.Compression;

/// <summary>Reads a stream compression as a receiver does: a decoder that starts anew at each keyframe.</summary>
internal abstract class StreamDecoder : IDisposable
{
    public static StreamDecoder For(V1Compression compression) => compression == V1Compression.ZstdStream ? new Zstd() : new Brotli();

    public abstract void Restart();

    /// <summary>All that the bytes so far give and that has not been given yet.</summary>
    public abstract byte[] Decode(ReadOnlySpan<byte> compressed);

    public abstract void Dispose();

    private sealed unsafe class Zstd : StreamDecoder
    {
        private const int WindowLogMaxParameter = 100;
        private ZstdDecompressionHandle _context = new();

        public override void Restart()
        {
            _context.Dispose();
            _context = new ZstdDecompressionHandle();
            LibZstd.Check(LibZstd.ZSTD_DCtx_setParameter(_context, WindowLogMaxParameter, 23), "bound the window");
        }

        public override byte[] Decode(ReadOnlySpan<byte> compressed)
        {
            var output = new ArrayBufferWriter<byte>();
            fixed (byte* from = compressed)
            {
                var input = new LibZstd.InBuffer { Source = from, Size = (nuint)compressed.Length };
                bool isFull;
                do
                {
                    var room = output.GetSpan(65536);
                    fixed (byte* to = room)
                    {
                        var buffer = new LibZstd.OutBuffer { Destination = to, Size = (nuint)room.Length };
                        LibZstd.Check(LibZstd.ZSTD_decompressStream(_context, &buffer, &input), "decompress");
                        output.Advance((int)buffer.Position);
                        isFull = buffer.Position == buffer.Size;
                    }
                }
                while (isFull || input.Position < input.Size);
            }
            return output.WrittenSpan.ToArray();
        }

        public override void Dispose() => _context.Dispose();
    }

    private sealed class Brotli : StreamDecoder
    {
        private BrotliDecoder _decoder;

        public override void Restart()
        {
            _decoder.Dispose();
            _decoder = default;
        }

        public override byte[] Decode(ReadOnlySpan<byte> compressed)
        {
            var output = new ArrayBufferWriter<byte>();
            OperationStatus status;
            int written;
            do
            {
                status = _decoder.Decompress(compressed, output.GetSpan(65536), out var consumed, out written);
                compressed = compressed[consumed..];
                output.Advance(written);
            }
            // It may ask for more input while there is more output.
            while (status == OperationStatus.DestinationTooSmall || written > 0);
            Assert.Equal((OperationStatus.NeedMoreData, 0), (status, compressed.Length));
            return output.WrittenSpan.ToArray();
        }

        public override void Dispose() => _decoder.Dispose();
    }
}
