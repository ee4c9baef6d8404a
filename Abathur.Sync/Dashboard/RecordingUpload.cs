using Abathur.Sync.Matches.Recording;
using System.Buffers;
using Abathur.Sync.Access;
using Abathur.Sync.Transports.Http;
using Microsoft.AspNetCore.Http;
using Microsoft.AspNetCore.Http.Features;

namespace Abathur.Sync.Dashboard;

/// <summary>
/// Adds a file to the folder of recordings. It is written under a temporary name, and renamed only when it is complete and opens as a
/// recording. Existing files are never overwritten. One upload at a time.
/// </summary>
internal sealed class RecordingUpload(RecordingFolder folder, RecordingsOptions options, TimeProvider clock)
{
    private const int BlockBytes = 128 * 1024;

    /// <summary>Prefix of incomplete files: no name that a client may use begins with it.</summary>
    private const string TemporaryPrefix = ".upload-";

    /// <summary>A file to which nothing was written for so long belongs to no upload.</summary>
    private static readonly TimeSpan AbandonedAfter = TimeSpan.FromHours(1);

    private int _busy;

    /// <summary>Removes the incomplete files that killed daemons have left.</summary>
    public void RemoveAbandoned()
    {
        try
        {
            foreach (var file in new DirectoryInfo(folder.FullPath).EnumerateFiles(TemporaryPrefix + "*"))
                if (clock.GetUtcNow() - file.LastWriteTimeUtc > AbandonedAfter) file.Delete();
        }
        catch (Exception e) when (e is IOException or UnauthorizedAccessException)
        {
            // They stay. The folder may be for reading only.
        }
    }

    /// <summary>Writes the body of a PUT request to a new file.</summary>
    /// <param name="http">The request.</param>
    /// <param name="file">Full path, as the folder resolved it.</param>
    public async Task TakeAsync(HttpContext http, string file)
    {
        var (request, response) = (http.Request, http.Response);
        if (Refusal(request, file) is var (status, problem))
        {
            await RefuseAsync(response, status, problem);
            return;
        }
        if (Interlocked.Exchange(ref _busy, 1) == 1)
        {
            response.Headers.RetryAfter = "5";
            await RefuseAsync(
                response, StatusCodes.Status503ServiceUnavailable, "another file is being added: try again when that is complete");
            return;
        }
        var temporary = Path.Combine(folder.FullPath, $"{TemporaryPrefix}{Guid.NewGuid():N}");
        try
        {
            http.Features.GetRequiredFeature<IHttpMaxRequestBodySizeFeature>().MaxRequestBodySize = options.MaxUploadBytes;
            var (refused, why) = await WriteAsync(http, temporary);
            if (refused == 0) (refused, why) = Keep(temporary, file, http.RequestAborted);
            if (refused != 0) await RefuseAsync(response, refused, why);
            else await HttpAnswer.TextAsync(response, StatusCodes.Status201Created, $"{Path.GetFileName(file)} was added");
        }
        finally
        {
            File.Delete(temporary);
            Volatile.Write(ref _busy, 0);
        }
    }

    private (int Status, string Problem)? Refusal(HttpRequest request, string file)
    {
        if (!OwnOrigin.IsOwn(request))
            return (
                StatusCodes.Status403Forbidden, "files are accepted only from the daemon's own page or from programs other than browsers");
        if (request.ContentLength > options.MaxUploadBytes) return (StatusCodes.Status413PayloadTooLarge, TooLarge);
        if (request.Headers.ContentEncoding.Count > 0)
            return (StatusCodes.Status415UnsupportedMediaType, "send the file without Content-Encoding");
        if (request.Headers.ContentRange.Count > 0) return (StatusCodes.Status400BadRequest, "send the file whole, without Content-Range");
        return File.Exists(file) ? (StatusCodes.Status409Conflict, Exists) : null;
    }

    private string TooLarge => $"at most {options.MaxUploadBytes} bytes are accepted";

    private static string Exists => "a recording of this name already exists: choose another name";

    private async Task<(int Status, string Problem)> WriteAsync(HttpContext http, string temporary)
    {
        var block = ArrayPool<byte>.Shared.Rent(BlockBytes);
        using var silence = new CancellationTokenSource(options.UploadTimeout, clock);
        using var cancellation = CancellationTokenSource.CreateLinkedTokenSource(silence.Token, http.RequestAborted);
        try
        {
            await using var output = new FileStream(
                temporary, FileMode.CreateNew, FileAccess.Write, FileShare.None, bufferSize: 0, useAsync: true);
            while (await http.Request.Body.ReadAsync(block, cancellation.Token) is var read and > 0)
            {
                silence.CancelAfter(options.UploadTimeout);
                await output.WriteAsync(block.AsMemory(0, read), cancellation.Token);
            }
            return (0, "");
        }
        catch (BadHttpRequestException e)
        {
            return (e.StatusCode, e.StatusCode == StatusCodes.Status413PayloadTooLarge ? TooLarge : e.Message);
        }
        catch (OperationCanceledException) when (!http.RequestAborted.IsCancellationRequested)
        {
            return (StatusCodes.Status408RequestTimeout, $"no data arrived for {options.UploadTimeout.TotalSeconds:0.#} s");
        }
        catch (Exception e) when (e is IOException or UnauthorizedAccessException && !http.RequestAborted.IsCancellationRequested)
        {
            return (StatusCodes.Status507InsufficientStorage, $"the file cannot be written: {e.Message}");
        }
        catch (Exception e) when (e is OperationCanceledException or IOException)
        {
            // The client has disconnected, so no one reads the answer.
            return (StatusCodes.Status400BadRequest, "the upload was aborted");
        }
        finally
        {
            ArrayPool<byte>.Shared.Return(block);
        }
    }

    private static (int Status, string Problem) Keep(string temporary, string file, CancellationToken cancellationToken)
    {
        using (var recording = PlaybackSession.Open(temporary, cancellationToken, out var problem))
        {
            // Without the temporary path, which clients do not need to know.
            if (recording is null)
                return (
                    StatusCodes.Status422UnprocessableEntity, problem.Replace(temporary, Path.GetFileName(file), StringComparison.Ordinal));
        }
        try
        {
            File.Move(temporary, file, overwrite: false);
            return (0, "");
        }
        catch (IOException) when (File.Exists(file))
        {
            return (StatusCodes.Status409Conflict, Exists);
        }
        catch (Exception e) when (e is IOException or UnauthorizedAccessException)
        {
            return (StatusCodes.Status507InsufficientStorage, $"the file cannot be kept: {e.Message}");
        }
    }

    private static Task RefuseAsync(HttpResponse response, int status, string problem)
    {
        // The rest of the request body is not read.
        response.Headers.Connection = "close";
        return HttpAnswer.TextAsync(response, status, problem);
    }
}
