using System.Buffers;
using System.Security.Cryptography;
using Abathur.Compression;
using Abathur.Sync.Transports.Http;

namespace Abathur.Sync.Dashboard;

/// <summary>A file of the dashboard. It is compressed when a coding is first requested; the result is kept.</summary>
internal sealed class PageFile
{
    /// <summary>Higher qualities save less than a tenth, and take longer than a page may need to open.</summary>
    private const int BrotliQuality = 5, GzipLevel = 6;

    private readonly Lazy<PageContent> _brotli, _gzip;
    private readonly PageContent _plain;

    public PageFile(byte[] bytes, string contentType)
    {
        ContentType = contentType;
        _plain = new(bytes, $"\"{TagOf(bytes)}\"", ContentCoding.Identity);
        _brotli = new(() => Compress(ContentCoding.Brotli, PayloadCompression.Brotli, BrotliQuality));
        _gzip = new(() => Compress(ContentCoding.Gzip, PayloadCompression.Gzip, GzipLevel));
    }

    public string ContentType { get; }

    /// <summary>
    /// Whether a browser can open it as a page. Headers that are of pages only would be nearly half of the headers of each small file.
    /// </summary>
    public bool IsDocument => ContentType.StartsWith("text/html", StringComparison.Ordinal) || ContentType == "image/svg+xml";

    /// <summary>The file in a coding, or as it is where that is not larger.</summary>
    public PageContent In(ContentCoding coding) => coding switch
    {
        ContentCoding.Brotli => _brotli.Value,
        ContentCoding.Gzip => _gzip.Value,
        _ => _plain,
    };

    private static string TagOf(byte[] bytes) => Convert.ToHexStringLower(SHA256.HashData(bytes).AsSpan(0, 12));

    private PageContent Compress(ContentCoding coding, PayloadCompression compression, int level)
    {
        var output = new ArrayBufferWriter<byte>(_plain.Bytes.Length);
        using var compressor = compression.Create(level);
        compressor.Compress(_plain.Bytes, output);
        if (output.WrittenCount >= _plain.Bytes.Length) return _plain;
        return new(output.WrittenSpan.ToArray(), $"\"{TagOf(_plain.Bytes)}-{coding.Name()}\"", coding);
    }
}

/// <summary>What is sent of a file.</summary>
internal sealed record PageContent(byte[] Bytes, string ETag, ContentCoding Coding);
