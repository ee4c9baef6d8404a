using System.Runtime.InteropServices;

namespace Abathur.Compression;

/// <summary>Owns a <c>ZSTD_CCtx</c>.</summary>
internal sealed class ZstdCompressionHandle : SafeHandle
{
    public ZstdCompressionHandle() : base(0, ownsHandle: true)
    {
        LibZstd.EnsureAvailable();
        SetHandle(LibZstd.ZSTD_createCCtx());
        if (IsInvalid) throw new CompressionException("zstd could not make a compression context");
    }

    public override bool IsInvalid => handle == 0;

    protected override bool ReleaseHandle() => !LibZstd.IsError(LibZstd.ZSTD_freeCCtx(handle));
}

/// <summary>Owns a <c>ZSTD_DCtx</c>.</summary>
internal sealed class ZstdDecompressionHandle : SafeHandle
{
    public ZstdDecompressionHandle() : base(0, ownsHandle: true)
    {
        LibZstd.EnsureAvailable();
        SetHandle(LibZstd.ZSTD_createDCtx());
        if (IsInvalid) throw new CompressionException("zstd could not make a decompression context");
    }

    public override bool IsInvalid => handle == 0;

    protected override bool ReleaseHandle() => !LibZstd.IsError(LibZstd.ZSTD_freeDCtx(handle));
}
