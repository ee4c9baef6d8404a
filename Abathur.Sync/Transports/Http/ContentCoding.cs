using Microsoft.Extensions.Primitives;
using Microsoft.Net.Http.Headers;

namespace Abathur.Sync.Transports.Http;

/// <summary>A form in which an answer is sent (RFC 9110, section 8.4), the one that is preferred first.</summary>
internal enum ContentCoding
{
    Brotli,
    Gzip,
    Identity,
}

/// <summary>What clients accept of them.</summary>
internal static class ContentCodings
{
    /// <summary>Its name in headers.</summary>
    public static string Name(this ContentCoding coding) => coding switch
    {
        ContentCoding.Brotli => "br",
        ContentCoding.Gzip => "gzip",
        _ => "identity",
    };

    /// <summary>
    /// The coding with the highest quality value of an Accept-Encoding, of equal ones the smallest; Identity where the client names none
    /// of the others, refuses all, or cannot be understood.
    /// </summary>
    public static ContentCoding Accepted(StringValues acceptEncoding)
    {
        if (!StringWithQualityHeaderValue.TryParseList(acceptEncoding, out var accepted)) return ContentCoding.Identity;
        // Identity is accepted without being named, after all that is.
        var (best, quality) = (ContentCoding.Identity, QualityOf(ContentCoding.Identity, accepted) ?? double.Epsilon);
        foreach (var coding in (ReadOnlySpan<ContentCoding>)[ContentCoding.Gzip, ContentCoding.Brotli])
        {
            var offered = QualityOf(coding, accepted) ?? QualityOf("*", accepted) ?? 0;
            if (offered > 0 && offered >= quality) (best, quality) = (coding, offered);
        }
        return best;
    }

    private static double? QualityOf(ContentCoding coding, IList<StringWithQualityHeaderValue> accepted) =>
        QualityOf(coding.Name(), accepted) ?? (coding == ContentCoding.Gzip ? QualityOf("x-gzip", accepted) : null);

    private static double? QualityOf(string name, IList<StringWithQualityHeaderValue> accepted)
    {
        var found = accepted.FirstOrDefault(each => each.Value.Equals(name, StringComparison.OrdinalIgnoreCase));
        return found is null ? null : found.Quality ?? 1;
    }
}
