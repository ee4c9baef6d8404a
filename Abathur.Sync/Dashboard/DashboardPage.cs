using Abathur.Sc2;
using Abathur.Sync.Transports.Http;
using Google.Protobuf;
using Microsoft.AspNetCore.Http;
using Microsoft.Net.Http.Headers;

namespace Abathur.Sync.Dashboard;

/// <summary>
/// The files of the dashboard, which are embedded in the program: each at its own path, the page itself at <c>/</c>; and the program's
/// tables of the game as <c>ResponseData</c>. They are compressed as the browser accepts it. Browsers cache them
/// and revalidate them (ETag), so that a new daemon on the same port never serves an old page.
/// </summary>
internal sealed class DashboardPage
{
    /// <summary>
    /// The page loads nothing but its own files, connects to its own origin only, and may not be framed. Styles that scripts set on
    /// elements are not inline styles to a browser; images are drawn (data:, blob:), not fetched.
    /// </summary>
    public const string ContentSecurityPolicy =
        "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data: blob:; "
        + "form-action 'none'; base-uri 'none'; frame-ancestors 'none'";

    private const string ResourcePrefix = "page/";
    private const string IndexName = "index.html";
    private const string GameDataPath = "/game_data.binpb";
    private readonly Dictionary<string, Lazy<PageFile>> _files;

    public DashboardPage()
    {
        var assembly = typeof(DashboardPage).Assembly;
        _files = assembly.GetManifestResourceNames()
            .Where(name => name.StartsWith(ResourcePrefix, StringComparison.Ordinal))
            .ToDictionary(
                PathOf, name => new Lazy<PageFile>(() => Read(assembly.GetManifestResourceStream(name)!, name)), StringComparer.Ordinal);
        // The names of the units of a match without game data.
        _files.Add(GameDataPath, new Lazy<PageFile>(
            () => new(GameDataTables.ToResponseData().ToByteArray(), "application/vnd.google.protobuf")));
    }

    /// <summary>Paths of the files: "/", "/main.js", ...</summary>
    public IReadOnlyCollection<string> Paths => _files.Keys;

    /// <summary>Answers GET and HEAD for one of <see cref="Paths"/>.</summary>
    public Task HandleAsync(HttpContext http)
    {
        var (request, response) = (http.Request, http.Response);
        if (!HttpAnswer.IsGet(http)) return HttpAnswer.NotAllowedAsync(response, HttpAnswer.Read, HttpAnswer.ReadOnly);
        var file = _files[request.Path.Value!].Value;
        var content = file.In(ContentCodings.Accepted(request.Headers.AcceptEncoding));
        var headers = response.Headers;
        headers.ETag = content.ETag;
        headers.Vary = HeaderNames.AcceptEncoding;
        headers.CacheControl = "no-cache";
        headers.XContentTypeOptions = "nosniff";
        headers["Referrer-Policy"] = "no-referrer";
        headers["Cross-Origin-Resource-Policy"] = "same-origin";
        if (file.IsDocument)
        {
            headers.ContentSecurityPolicy = ContentSecurityPolicy;
            headers["Cross-Origin-Opener-Policy"] = "same-origin";
        }
        if (IsKnown(request, content.ETag))
        {
            response.StatusCode = StatusCodes.Status304NotModified;
            return Task.CompletedTask;
        }
        response.ContentType = file.ContentType;
        response.ContentLength = content.Bytes.Length;
        if (content.Coding != ContentCoding.Identity) headers.ContentEncoding = content.Coding.Name();
        if (HttpMethods.IsHead(request.Method)) return Task.CompletedTask;
        return response.Body.WriteAsync(content.Bytes, http.RequestAborted).AsTask();
    }

    private static bool IsKnown(HttpRequest request, string tag)
    {
        if (!EntityTagHeaderValue.TryParseList(request.Headers.IfNoneMatch, out var known)) return false;
        return known.Any(each => each.Tag == "*" || each.Tag == tag);
    }

    private static string PathOf(string resource)
    {
        // The folder separator of the machine that built it.
        var name = resource[ResourcePrefix.Length..].Replace('\\', '/');
        return name == IndexName ? "/" : $"/{name}";
    }

    private static PageFile Read(Stream resource, string name)
    {
        using (resource)
        {
            var bytes = new byte[resource.Length];
            resource.ReadExactly(bytes);
            return new(bytes, TypeOf(name));
        }
    }

    private static string TypeOf(string name) => Path.GetExtension(name) switch
    {
        ".html" => "text/html; charset=utf-8",
        ".css" => "text/css; charset=utf-8",
        ".js" => "text/javascript; charset=utf-8",
        ".svg" => "image/svg+xml",
        var other => throw new InvalidOperationException($"{name}: {other} has no content type"),
    };
}
