using System.Net;
using System.Net.Http.Headers;
using System.Security.Cryptography;
using Abathur.Client;
using Abathur.Sync.Hosting;
using Abathur.Sync.Transports.Http;
using Abathur.Sync.V1;
using Google.Protobuf;

namespace Abathur.Sync.Cli;

/// <summary>Reads the status of a running daemon from its HTTP port.</summary>
internal sealed class StatusClient : IDisposable
{
    private static readonly TimeSpan AnswerTimeout = TimeSpan.FromSeconds(5);
    // What the other ports of a daemon say to a request of HTTP/1.1: Kestrel in the body; the socket in place of a status line.
    private const string AnswerOfGrpcPort = "HTTP/2 only endpoint";
    private const string AnswerOfSocketPort = "'{\"error\":";
    private const long MaxAnswerBytes = 4 * 1024 * 1024;
    private static readonly JsonParser Parser = new(JsonParser.Settings.Default.WithIgnoreUnknownFields(true));
    private readonly HttpClient _http;
    private readonly Uri _uri;

    /// <param name="address">HOST:PORT, or an http or https URL.</param>
    /// <param name="token">The token to send; null: none.</param>
    /// <param name="caPath">File with the trusted root certificates; null: those of the system.</param>
    /// <exception cref="CliException">The address is invalid, or the file cannot be used.</exception>
    public StatusClient(string address, string? token, string? caPath)
    {
        _uri = ToUri(address);
        // No proxy and no redirection: the token must only reach this address.
        var handler = new SocketsHttpHandler { UseProxy = false, AllowAutoRedirect = false };
        try
        {
            if (caPath is not null) handler.SslOptions.CertificateChainPolicy = TrustedRoots.Read(caPath);
        }
        catch (Exception e) when (e is CryptographicException or IOException or UnauthorizedAccessException)
        {
            throw new CliException($"--ca: {e.Message}", ExitCode.Usage);
        }
        _http = new HttpClient(handler) { Timeout = AnswerTimeout, MaxResponseContentBufferSize = MaxAnswerBytes };
        if (token is not null) _http.DefaultRequestHeaders.Authorization = new AuthenticationHeaderValue("Bearer", token);
    }

    /// <summary>Address of the daemon.</summary>
    public string Place => _uri.GetLeftPart(UriPartial.Authority);

    /// <summary>The status.</summary>
    /// <exception cref="CliException">No daemon answers, or it refuses the request.</exception>
    public async Task<Status> GetAsync(CancellationToken cancellationToken)
    {
        try
        {
            using var response = await _http.GetAsync(_uri, cancellationToken);
            var body = await response.Content.ReadAsStringAsync(cancellationToken);
            if (response.StatusCode == HttpStatusCode.OK) return Parser.Parse<Status>(body);
            if (body.Contains(AnswerOfGrpcPort, StringComparison.Ordinal)) throw WrongPort("gRPC");
            throw new CliException(
                $"{Place}: {(int)response.StatusCode}: "
                    + $"{body.Trim()}{(response.StatusCode == HttpStatusCode.Unauthorized ? " (--token-file, or ABATHUR_TOKEN)" : "")}",
                ExitCode.Failed);
        }
        catch (Exception e) when (e is HttpRequestException or InvalidProtocolBufferException or InvalidJsonException
            || (e is OperationCanceledException && !cancellationToken.IsCancellationRequested))
        {
            if (e.Message.Contains(AnswerOfSocketPort, StringComparison.Ordinal)) throw WrongPort("socket");
            var why = e is OperationCanceledException
                ? $"no answer within {AnswerTimeout.TotalSeconds:0} s"
                : e.InnerException?.Message ?? e.Message;
            throw new CliException($"no daemon answers at {Place}: {why.ReplaceLineEndings(" ")}", ExitCode.Failed);
        }
    }

    public void Dispose() => _http.Dispose();

    private CliException WrongPort(string kind) => new(
        $"{_uri.Authority} is the {kind} port of a daemon: status uses its HTTP port, by default "
            + $"{_uri.Host}:{DaemonOptions.DefaultHttpPort}",
        ExitCode.Failed);

    private static Uri ToUri(string address)
    {
        var text = address.Contains("://", StringComparison.Ordinal) ? address : $"http://{address}";
        if (Uri.TryCreate(text, UriKind.Absolute, out var uri) && uri.Scheme is "http" or "https" && uri.UserInfo.Length == 0)
            return new Uri(uri, OperationsEndpoints.StatusPath);
        throw new CliException(
            $"\"{address}\" is not the address of a daemon: expected HOST:PORT of its HTTP port, or https://HOST:PORT", ExitCode.Usage);
    }
}
