using Abathur.Sync.Requests;
using Microsoft.AspNetCore.Http;

namespace Abathur.Sync.Transports.Http;

/// <summary>Short responses of the HTTP port.</summary>
internal static class HttpAnswer
{
    /// <summary>Methods of read-only paths.</summary>
    public const string Read = "GET, HEAD";

    /// <summary>Response to other methods on these paths.</summary>
    public const string ReadOnly = "this is read with GET";

    private const string PlainText = "text/plain; charset=utf-8";

    /// <summary>Answers with one line for a person.</summary>
    public static Task TextAsync(HttpResponse response, int status, string message)
    {
        response.StatusCode = status;
        return WriteAsync(response, PlainText, message + "\n");
    }

    /// <summary>Answers GET and HEAD with one line and a status; other methods are refused.</summary>
    public static Task GetTextAsync(HttpContext http, Func<(int Status, string Message)> answer)
    {
        if (!IsGet(http)) return NotAllowedAsync(http.Response, Read, ReadOnly);
        var (status, message) = answer();
        return TextAsync(http.Response, status, message);
    }

    /// <summary>Answers GET and HEAD with a text that is created on demand; other methods are refused.</summary>
    public static Task GetAsync(HttpContext http, string contentType, Func<string> body) =>
        IsGet(http) ? WriteAsync(http.Response, contentType, body()) : NotAllowedAsync(http.Response, Read, ReadOnly);

    /// <summary>Answers GET and HEAD with JSON that is created on demand, or with why it cannot be; other methods are refused.</summary>
    public static async Task GetJsonAsync(HttpContext http, Func<ValueTask<ReadOnlyMemory<byte>>> json)
    {
        if (!IsGet(http))
        {
            await NotAllowedAsync(http.Response, Read, ReadOnly);
            return;
        }
        try
        {
            await JsonAsync(http.Response, await json(), http.RequestAborted);
        }
        catch (RefusedException e)
        {
            await TextAsync(http.Response, StatusCodes.Status503ServiceUnavailable, e.Message);
        }
    }

    /// <summary>Whether a request only reads.</summary>
    public static bool IsGet(HttpContext http) => HttpMethods.IsGet(http.Request.Method) || HttpMethods.IsHead(http.Request.Method);

    /// <summary>Refuses a method.</summary>
    /// <param name="response">The answer.</param>
    /// <param name="allowed">The allowed methods, "GET, HEAD".</param>
    /// <param name="message">What to use instead.</param>
    public static Task NotAllowedAsync(HttpResponse response, string allowed, string message)
    {
        response.Headers.Allow = allowed;
        return TextAsync(response, StatusCodes.Status405MethodNotAllowed, message);
    }

    private static Task WriteAsync(HttpResponse response, string contentType, string body)
    {
        response.ContentType = contentType;
        response.Headers.XContentTypeOptions = "nosniff";
        response.Headers.CacheControl = "no-store";
        // The server omits the body of a response to HEAD.
        return response.WriteAsync(body);
    }

    /// <summary>Answers 200 with JSON that must not be cached.</summary>
    public static Task JsonAsync(HttpResponse response, ReadOnlyMemory<byte> json, CancellationToken cancellationToken)
    {
        response.ContentType = "application/json";
        response.ContentLength = json.Length;
        response.Headers.XContentTypeOptions = "nosniff";
        response.Headers.CacheControl = "no-store";
        return response.Body.WriteAsync(json, cancellationToken).AsTask();
    }
}
