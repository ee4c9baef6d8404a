using Abathur.Sync.Diagnostics;
using Abathur.Sync.Requests;
using Grpc.Core;
using Microsoft.Extensions.Logging;

namespace Abathur.Sync.Transports.Grpc;

/// <summary>Exceptions as gRPC statuses.</summary>
internal static class GrpcErrors
{
    /// <summary>Largest text of a status when it is sent: clients refuse headers of more than about 8 KB, and would lose it.</summary>
    private const int MaxEncodedBytes = 4096;

    /// <summary>A status to throw. Its text is cut off where it becomes too long.</summary>
    public static RpcException Of(StatusCode code, string message) => new(new Status(code, Bounded(message)));

    /// <summary>Runs a handler; what it throws becomes a status.</summary>
    public static async Task<T> MapAsync<T>(ServerCallContext call, ILogger log, Func<Task<T>> handler)
    {
        try
        {
            return await handler();
        }
        catch (RefusedException e)
        {
            throw Of((StatusCode)e.Status, e.Message);
        }
        catch (RpcException)
        {
            throw;
        }
        // The library ends a call at its deadline first and cancels its handler then, which cannot write any more in between.
        catch (Exception e) when (IsOver(call) && e is OperationCanceledException or IOException or InvalidOperationException)
        {
            throw Of(StatusCode.Cancelled, "the call is cancelled");
        }
        catch (Exception e)
        {
            LogMessages.HandlerFailed(log, call.Method, e);
            throw Of(StatusCode.Unknown, "the handler failed");
        }
    }

    /// <summary>The longest beginning that has at most <see cref="MaxEncodedBytes"/> when it is sent: three for each byte of UTF-8 that is
    /// not a printable character of ASCII.</summary>
    internal static string Bounded(string message)
    {
        var (bytes, length) = (0, 0);
        foreach (var rune in message.EnumerateRunes())
        {
            bytes += rune.Value is >= ' ' and <= '~' and not '%' ? 1 : 3 * rune.Utf8SequenceLength;
            if (bytes > MaxEncodedBytes) return message[..length];
            length += rune.Utf16SequenceLength;
        }
        return message;
    }

    private static bool IsOver(ServerCallContext call) =>
        call.CancellationToken.IsCancellationRequested
        || call.GetHttpContext().RequestAborted.IsCancellationRequested
        || call.Deadline <= DateTime.UtcNow;
}
