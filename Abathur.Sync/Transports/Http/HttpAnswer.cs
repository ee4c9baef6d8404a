using Microsoft.AspNetCore.Http;

namespace Abathur.Sync.Transports.Http;

/// <summary>Short answers of the HTTP port.</summary>
internal static class HttpAnswer
{
    /// <summary>Answers with one line for a person.</summary>
    public static Task TextAsync(HttpResponse response, int status, string message)
    {
        response.StatusCode = status;
        response.ContentType = "text/plain; charset=utf-8";
        response.Headers.XContentTypeOptions = "nosniff";
        return response.WriteAsync(message + "\n");
    }

    /// <summary>Answers 200 with JSON that no cache keeps.</summary>
    public static Task JsonAsync(HttpResponse response, ReadOnlyMemory<byte> json, CancellationToken cancellation)
    {
        response.ContentType = "application/json; charset=utf-8";
        response.ContentLength = json.Length;
        response.Headers.XContentTypeOptions = "nosniff";
        response.Headers.CacheControl = "no-store";
        return response.Body.WriteAsync(json, cancellation).AsTask();
    }
}
