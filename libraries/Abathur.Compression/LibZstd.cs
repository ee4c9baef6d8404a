using System.Diagnostics.CodeAnalysis;
using System.Reflection;
using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;

namespace Abathur.Compression;

/// <summary>The system's libzstd: whether it is installed, and its functions. Version 1.4.0 or newer.</summary>
public static unsafe partial class LibZstd
{
    /// <summary>How to install the missing library.</summary>
    public const string InstallMessage =
        "libzstd is not installed: install it (Debian and Ubuntu: apt install libzstd1; Fedora: dnf install libzstd; macOS: brew "
            + "install zstd; "
        + "Windows: put libzstd.dll from github.com/facebook/zstd/releases beside the program), or use another compression";

    private const string Library = "libzstd";

    private static readonly string[] Names = ["libzstd.so.1", "libzstd", "libzstd.dll", "zstd", "libzstd.1.dylib"];

    private static readonly nint Handle = Load();

    /// <summary>Whether the library was found.</summary>
    public static bool IsAvailable => Handle != 0;

    /// <summary>Version of the library, e.g. "1.5.4".</summary>
    /// <exception cref="CompressionException">The library is missing.</exception>
    public static string VersionString
    {
        get
        {
            EnsureAvailable();
            return Marshal.PtrToStringUTF8(ZSTD_versionString()) ?? "";
        }
    }

    /// <summary>Throws an exception that says how to install the library if it is missing.</summary>
    /// <exception cref="CompressionException">The library is missing.</exception>
    public static void EnsureAvailable()
    {
        if (!IsAvailable) throw new CompressionException(InstallMessage);
    }

    /// <summary>Returns a result of the library, or throws an exception with its error.</summary>
    internal static nuint Check(nuint result, string doing)
    {
        if (ZSTD_isError(result) != 0) ThrowError(result, doing);
        return result;
    }

    internal static bool IsError(nuint result) => ZSTD_isError(result) != 0;

    [DoesNotReturn]
    private static void ThrowError(nuint result, string doing) =>
        throw new CompressionException($"zstd could not {doing}: {Marshal.PtrToStringUTF8(ZSTD_getErrorName(result))}");

    private static nint Load()
    {
        nint handle = 0;
        foreach (var name in Names)
        {
            if (NativeLibrary.TryLoad(name, typeof(LibZstd).Assembly, null, out handle)) break;
        }
        return handle;
    }

#pragma warning disable CA2255 // The resolver has to be set before the first call of any function below.
    [ModuleInitializer]
    internal static void SetResolver() => NativeLibrary.SetDllImportResolver(Assembly.GetExecutingAssembly(), Resolve);
#pragma warning restore CA2255

    private static nint Resolve(string name, Assembly assembly, DllImportSearchPath? path) => name == Library ? Handle : 0;

    [LibraryImport(Library)]
    private static partial nint ZSTD_versionString();

    [LibraryImport(Library)]
    private static partial uint ZSTD_isError(nuint code);

    [LibraryImport(Library)]
    private static partial nint ZSTD_getErrorName(nuint code);

    [LibraryImport(Library)]
    internal static partial nuint ZSTD_compressBound(nuint sourceSize);

    [LibraryImport(Library)]
    internal static partial ulong ZSTD_getFrameContentSize(byte* source, nuint sourceSize);

    [LibraryImport(Library)]
    internal static partial nint ZSTD_createCCtx();

    [LibraryImport(Library)]
    internal static partial nuint ZSTD_freeCCtx(nint context);

    [LibraryImport(Library)]
    internal static partial nuint ZSTD_CCtx_setParameter(ZstdCompressionHandle context, int parameter, int value);

    [LibraryImport(Library)]
    internal static partial nuint ZSTD_compress2(
        ZstdCompressionHandle context, byte* destination, nuint destinationSize, byte* source, nuint sourceSize);

    [LibraryImport(Library)]
    internal static partial nuint ZSTD_CCtx_reset(ZstdCompressionHandle context, int directive);

    [LibraryImport(Library)]
    internal static partial nuint ZSTD_compressStream2(ZstdCompressionHandle context, OutBuffer* output, InBuffer* input, int operation);

    [LibraryImport(Library)]
    internal static partial nint ZSTD_createDCtx();

    [LibraryImport(Library)]
    internal static partial nuint ZSTD_freeDCtx(nint context);

    [LibraryImport(Library)]
    internal static partial nuint ZSTD_DCtx_reset(ZstdDecompressionHandle context, int directive);

    [LibraryImport(Library)]
    internal static partial nuint ZSTD_DCtx_setParameter(ZstdDecompressionHandle context, int parameter, int value);

    [LibraryImport(Library)]
    internal static partial nuint ZSTD_decompressDCtx(
        ZstdDecompressionHandle context, byte* destination, nuint destinationSize, byte* source, nuint sourceSize);

    [LibraryImport(Library)]
    internal static partial nuint ZSTD_decompressStream(ZstdDecompressionHandle context, OutBuffer* output, InBuffer* input);

    /// <summary>The input of the stream functions.</summary>
    [StructLayout(LayoutKind.Sequential)]
    internal struct InBuffer
    {
        public byte* Source;
        public nuint Size;
        public nuint Position;
    }

    /// <summary>The output of the stream functions.</summary>
    [StructLayout(LayoutKind.Sequential)]
    internal struct OutBuffer
    {
        public byte* Destination;
        public nuint Size;
        public nuint Position;
    }
}
