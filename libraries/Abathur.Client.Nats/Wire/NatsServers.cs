using System.Net.Sockets;
using System.Security.Authentication;
using System.Text.RegularExpressions;
using NATS.Client.Core;
using NATS.Client.JetStream;

namespace Abathur.Client.Nats.Wire;

/// <summary>A connection to servers of NATS, which is made again when it breaks.</summary>
internal sealed partial class NatsServers : IAsyncDisposable
{
    /// <summary>How long a connection to one server may take.</summary>
    private static readonly TimeSpan ConnectTimeout = TimeSpan.FromSeconds(10);

    /// <summary>JetStream answers at once, or not at all: while a cluster elects a leader. Callers try again.</summary>
    private static readonly TimeSpan AnswerTimeout = TimeSpan.FromSeconds(2);

    /// <summary>A stored message is acknowledged later where many relays begin at once; who writes has a limit of its own.</summary>
    private static readonly TimeSpan StoreTimeout = TimeSpan.FromSeconds(10);
    private static readonly TimeSpan ReconnectDelay = TimeSpan.FromMilliseconds(250), PingInterval = TimeSpan.FromSeconds(5);
    private static readonly NatsHeaders RequestHeaders = new() { [RelayNames.RequestHeader] = RelayNames.RequestVersion };

    private NatsServers(NatsConnection connection)
    {
        Connection = connection;
        JetStream = new NatsJSContext(connection);
        Storing = new NatsJSContext(connection, new NatsJSOpts(connection.Opts, requestTimeout: StoreTimeout));
        connection.ServerError += (_, error) =>
        {
            if (DenialText().Match(error.Error) is { Success: true } denial)
            {
                var (what, subject) = (denial.Groups[1].Value.ToLowerInvariant(), denial.Groups[2].Value);
                var problem = $"this user of the NATS server may not {what} to {subject}";
                Denied?.Invoke(new NatsProblemException(problem, code: "PERMISSION_DENIED"), subject);
            }
            return default;
        };
    }

    /// <summary>Raised with each subject that the servers deny to this user. Handlers must not block.</summary>
    public event Action<NatsProblemException, string>? Denied;

    /// <summary>The connection itself.</summary>
    public NatsConnection Connection { get; }

    /// <summary>Its JetStream.</summary>
    public NatsJSContext JetStream { get; }

    /// <summary>The same, for the messages of a stream.</summary>
    public NatsJSContext Storing { get; }

    /// <summary>Whether there is a connection now.</summary>
    public bool IsConnected => Connection.ConnectionState == NatsConnectionState.Open;

    /// <summary>Largest message that the server takes.</summary>
    public int MaxMessageBytes => (int)Math.Min(int.MaxValue, Connection.ServerInfo?.MaxPayload ?? int.MaxValue);

    /// <summary>Connects to one of the servers.</summary>
    /// <param name="address">The servers, and the login.</param>
    /// <param name="name">Shown by the server.</param>
    /// <param name="inbox">Prefix of the subjects at which answers are received.</param>
    /// <param name="cancellationToken">Ends the attempt.</param>
    /// <exception cref="ServersLostException">No server answers.</exception>
    /// <exception cref="NatsProblemException">The login is refused, or a certificate, or there is no JetStream.</exception>
    public static async Task<NatsServers> ConnectAsync(
        NatsAddress address, string name, string inbox, CancellationToken cancellationToken)
    {
        var connection = new NatsConnection(OptionsOf(address) with { Name = name, InboxPrefix = inbox });
        try
        {
            await connection.ConnectAsync().AsTask().WaitAsync(2 * ConnectTimeout, cancellationToken).ConfigureAwait(false);
            if (connection.ServerInfo?.JetStreamAvailable == true) return new NatsServers(connection);
            throw new NatsProblemException("JetStream is not enabled on the NATS server");
        }
        catch (Exception e)
        {
            await connection.DisposeAsync().ConfigureAwait(false);
            if (e is OperationCanceledException or NatsProblemException) throw;
            // The library says in a text only that it does not go on then.
            if (address.IsTls && connection.ServerInfo is { TlsAvailable: false, TlsRequired: false })
                throw TlsProblem("the server does not offer TLS; without TLS the address begins with nats://", e);
            throw Failure(e);
        }
    }

    /// <summary>Whether a relay serves a match.</summary>
    /// <param name="match">Name of the match.</param>
    /// <param name="ifSilent">The result if something listens and does not answer in time: that need not be a relay.</param>
    /// <param name="cancellationToken">Ends the wait.</param>
    /// <exception cref="ServersLostException">The servers are away.</exception>
    /// <exception cref="NatsProblemException">The user may not ask.</exception>
    public async Task<bool> HasRelayAsync(string match, bool ifSilent, CancellationToken cancellationToken)
    {
        try
        {
            var answer = await RequestAsync(RelayNames.Watch(match, RelayNames.Here), [], AnswerTimeout, cancellationToken)
                .ConfigureAwait(false);
            return answer is not null;
        }
        catch (ServersLostException e) when (e.InnerException is NatsNoReplyException)
        {
            return ifSilent;
        }
    }

    /// <summary>Sends a request to those who receive the subject.</summary>
    /// <param name="subject">The subject.</param>
    /// <param name="body">The message.</param>
    /// <param name="timeout">How long the answer may take.</param>
    /// <param name="cancellationToken">Ends the wait.</param>
    /// <returns>The answer; null: nothing listens.</returns>
    /// <exception cref="ServersLostException">There was no answer in time.</exception>
    /// <exception cref="NatsProblemException">The user may not ask.</exception>
    public async Task<NatsMsg<byte[]>?> RequestAsync(string subject, byte[] body, TimeSpan timeout, CancellationToken cancellationToken)
    {
        try
        {
            return await UnlessDeniedAsync(
                subject,
                limit => Connection.RequestAsync<byte[], byte[]>(
                    subject, body, RequestHeaders, replyOpts: new NatsSubOpts { Timeout = timeout, ThrowIfNoResponders = true },
                    cancellationToken: limit),
                Timeout.InfiniteTimeSpan, cancellationToken).ConfigureAwait(false);
        }
        catch (NatsNoRespondersException)
        {
            return null;
        }
        catch (Exception e) when (IsLost(e, cancellationToken))
        {
            throw new ServersLostException(e is NatsNoReplyException ? $"no answer within {timeout.TotalSeconds:g} s" : ReasonOf(e), e);
        }
    }

    /// <summary>Asks JetStream.</summary>
    /// <param name="subject">Subject of the request, for the message where it is denied.</param>
    /// <param name="request">Sends it.</param>
    /// <param name="cancellationToken">Ends the wait.</param>
    /// <exception cref="NatsJSApiException">It is refused.</exception>
    /// <exception cref="ServersLostException">There was no answer in time.</exception>
    /// <exception cref="NatsProblemException">The user may not ask.</exception>
    public async Task<T> AskAsync<T>(string subject, Func<CancellationToken, ValueTask<T>> request, CancellationToken cancellationToken)
    {
        try
        {
            return await UnlessDeniedAsync(subject, request, AnswerTimeout, cancellationToken).ConfigureAwait(false);
        }
        catch (NatsJSApiException)
        {
            throw;
        }
        catch (Exception e) when (IsLost(e, cancellationToken))
        {
            throw new ServersLostException(ReasonOf(e), e);
        }
    }

    /// <summary>Whether an exception says that the servers are away, or do not answer in time.</summary>
    /// <param name="e">The exception.</param>
    /// <param name="cancellationToken">What ends the work otherwise.</param>
    public static bool IsLost(Exception e, CancellationToken cancellationToken) => e switch
    {
        OperationCanceledException or TimeoutException => !cancellationToken.IsCancellationRequested,
        NatsException or IOException or SocketException or ObjectDisposedException => true,
        _ => false,
    };

    /// <summary>What an exception says, in words.</summary>
    public static string ReasonOf(Exception e) => e switch
    {
        OperationCanceledException or TimeoutException or NatsNoReplyException =>
            $"it did not answer within {AnswerTimeout.TotalSeconds:0} s",
        NatsNoRespondersException or NatsJSPublishNoResponseException =>
            "a message was not stored: the servers are slow, or elect a leader, or the stream was deleted",
        _ => e.Message,
    };

    /// <inheritdoc/>
    public ValueTask DisposeAsync() => Connection.DisposeAsync();

    /// <summary>Waits for an answer. The servers do not answer what they deny, and say so beside.</summary>
    /// <exception cref="NatsProblemException">They deny the subject to this user.</exception>
    private async Task<T> UnlessDeniedAsync<T>(
        string subject, Func<CancellationToken, ValueTask<T>> request, TimeSpan timeout, CancellationToken cancellationToken)
    {
        var denied = new TaskCompletionSource<NatsProblemException>(TaskCreationOptions.RunContinuationsAsynchronously);
        using var limit = CancellationTokenSource.CreateLinkedTokenSource(cancellationToken);
        limit.CancelAfter(timeout);
        Denied += Check;
        try
        {
            var asking = request(limit.Token).AsTask();
            if (await Task.WhenAny(asking, denied.Task).ConfigureAwait(false) == asking) return await asking.ConfigureAwait(false);
            await limit.CancelAsync().ConfigureAwait(false);
            throw await denied.Task.ConfigureAwait(false);
        }
        finally
        {
            Denied -= Check;
        }

        void Check(NatsProblemException denial, string what)
        {
            if (string.Equals(what, subject, StringComparison.OrdinalIgnoreCase)) denied.TrySetResult(denial);
        }
    }

    private static NatsOpts OptionsOf(NatsAddress address) => NatsOpts.Default with
    {
        Url = string.Join(',', address.Servers.Select(server => $"nats://{server}")),
        AuthOpts = NatsAuthOpts.Default with
        {
            Username = address.User,
            Password = address.Password,
            Token = address.Token,
            CredsFile = address.Credentials,
        },
        // Without TLS, the login would be readable by the network.
        TlsOpts = NatsTlsOpts.Default with { CaFile = address.CaFile, Mode = address.IsTls ? TlsMode.Require : TlsMode.Auto },
        ConnectTimeout = ConnectTimeout,
        CommandTimeout = ConnectTimeout,
        RequestTimeout = AnswerTimeout,
        PublishTimeoutOnDisconnected = true,
        MaxReconnectRetry = -1,
        ReconnectWaitMin = ReconnectDelay,
        ReconnectWaitMax = ReconnectDelay,
        PingInterval = PingInterval,
        // A server that is started again may not know its users yet.
        IgnoreAuthErrorAbort = true,
    };

    private static Exception Failure(Exception e)
    {
        for (var cause = e; cause is not null; cause = cause.InnerException)
        {
            if (cause is NatsServerException { IsAuthError: true })
                return new NatsProblemException("the NATS server refuses the login", e, "UNAUTHENTICATED");
            if (cause is AuthenticationException) return TlsProblem(cause.Message, e);
        }
        // Of several servers, the library says only that none took the connection.
        var reason = e.GetBaseException() is NatsException ? "nothing answers" : e.GetBaseException().Message.TrimEnd('.');
        return new ServersLostException(reason, e);
    }

    private static NatsProblemException TlsProblem(string reason, Exception e) =>
        new($"TLS with the NATS server fails: {reason}", e, "UNAUTHENTICATED");

    [GeneratedRegex("permissions violation for (publish|subscription) to \"([^\"]*)\"", RegexOptions.IgnoreCase)]
    private static partial Regex DenialText();
}
