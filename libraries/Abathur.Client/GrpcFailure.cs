using System.Net.Sockets;
using Grpc.Core;

namespace Abathur.Client;

/// <summary>The exceptions of this client for those of the gRPC library.</summary>
internal static class GrpcFailure
{
    /// <summary>Whether a daemon has answered, with a refusal.</summary>
    public static bool IsRefusal(RpcException e) => e.StatusCode is StatusCode.Unauthenticated or StatusCode.PermissionDenied;

    /// <summary>The exception of a call that was cancelled, broke, or was refused.</summary>
    public static Exception Of(RpcException e, CancellationToken cancellationToken, bool isSubscription = false)
    {
        if (cancellationToken.IsCancellationRequested) return new OperationCanceledException(e.Message, e, cancellationToken);
        var detail = e.Status.Detail;
        if (DaemonCalls.IsStopping(e)) return new DaemonStoppingException(detail);
        var cause = e.Status.DebugException;
        // A stream that the daemon resets, because its reader is too slow, is RESOURCE_EXHAUSTED.
        var isBroken = e.StatusCode is StatusCode.Internal or StatusCode.Cancelled or StatusCode.Unknown
            && cause is IOException or HttpRequestException;
        if (e.StatusCode == StatusCode.Unavailable || isBroken)
        {
            var refused = (cause as HttpRequestException)?.InnerException as SocketException ?? cause as SocketException;
            // A Unix domain socket that does not exist is an address that is not available.
            var isNothingThere = refused?.SocketErrorCode is SocketError.ConnectionRefused or SocketError.AddressNotAvailable;
            return new BrokenConnectionException(cause?.GetBaseException().Message ?? detail, cause) { IsNothingThere = isNothingThere };
        }
        var status = RequestErrorCodes.NameOf(e.StatusCode.ToString());
        return isSubscription ? RequestException.OfSubscription(status, detail) : RequestException.OfRequest(status, detail);
    }

    /// <summary>The exception where a daemon does not answer.</summary>
    public static BrokenConnectionException Silence(TimeSpan timeout) =>
        new($"it accepts connections, but does not answer within {timeout.TotalSeconds:g} s");

    /// <summary>Opens a call. If that fails, the call is disposed, and the exception is one of this client.</summary>
    /// <param name="call">The call, which is begun.</param>
    /// <param name="open">Waits until the daemon has accepted it, at most for <paramref name="timeout"/>.</param>
    /// <param name="timeout">How long the daemon may take.</param>
    /// <param name="isSubscription">Whether it is a subscription.</param>
    /// <param name="cancellationToken">Ends the wait.</param>
    public static async Task<T> OpenAsync<T>(
        T call, Func<T, Task> open, TimeSpan timeout, bool isSubscription, CancellationToken cancellationToken)
        where T : IDisposable
    {
        try
        {
            await open(call).ConfigureAwait(false);
            return call;
        }
        catch (Exception e)
        {
            call.Dispose();
            if (e is TimeoutException) throw Silence(timeout);
            if (e is RpcException failure) throw Of(failure, cancellationToken, isSubscription);
            throw;
        }
    }
}
