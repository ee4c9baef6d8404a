using System.Buffers;
using System.Net;
using Google.Protobuf.WellKnownTypes;
using Microsoft.AspNetCore.Server.Kestrel.Core;

namespace Abathur.Grpc.Tests;

/// <summary>Bytes in, bytes out, over a real connection.</summary>
public class GrpcServerTests
{
    private static readonly byte[] OneByte = GrpcFrames.Frame([42]);

    [Fact]
    public async Task Unary_Bytes_AreAnsweredWithHeadersMessageAndTrailers()
    {
        await using var host = await GrpcTestHost.StartAsync(
            service => service.Unary("Echo", (request, _) => ValueTask.FromResult<ReadOnlyMemory<byte>>(request.ToArray())));
        using var response = await host.PostAsync("Echo", OneByte);
        Assert.Equal(HttpStatusCode.OK, response.StatusCode);
        Assert.Equal("application/grpc", response.Content.Headers.ContentType!.MediaType);
        Assert.Equal("identity", Header(response, "grpc-encoding"));
        Assert.Equal("identity,gzip", Header(response, "grpc-accept-encoding"));
        Assert.Null(Header(response, "grpc-status"));
        Assert.Equal(
            [(0, 42)],
            (await ReadAsync(response))
                .Select(each => (each.Flag, each.Message.Single()))
                .Select(each => ((int)each.Flag, (int)each.Item2)));
        Assert.Equal("0", Trailer(response, "grpc-status"));
        Assert.Null(Trailer(response, "grpc-message"));
    }

    [Fact]
    public async Task Method_FailingAtOnce_AnswersInTheHeadersAlone()
    {
        await using var host = await GrpcTestHost.StartAsync(service => service.Method("Fail", call =>
        {
            call.ResponseTrailers.Add("key-bin", [1, 2, 3, 4]);
            throw new GrpcException(GrpcStatusCode.NotFound, "no 100%");
        }));
        using var response = await host.PostAsync("Fail", OneByte);
        Assert.Equal("5", Header(response, "grpc-status"));
        Assert.Equal("no 100%25", Header(response, "grpc-message"));
        Assert.Equal("AQIDBA", Header(response, "key-bin"));
        Assert.Empty(await ReadAsync(response));
        Assert.Empty(response.TrailingHeaders);
    }

    [Fact]
    public async Task Method_FailingWithAnExceptionThatTheServiceMaps_EndsWithItsStatus()
    {
        var options = new GrpcServerOptions
        {
            MapException = e => e is TimeZoneNotFoundException ? new GrpcException(GrpcStatusCode.NotFound, "no " + e.Message) : null,
        };
        await using var host = await GrpcTestHost.StartAsync(
            service => service.Method("Fail", _ => throw new TimeZoneNotFoundException("such zone")), options);
        using var response = await host.PostAsync("Fail", OneByte);
        Assert.Equal(("5", "no such zone"), (Header(response, "grpc-status"), Header(response, "grpc-message")));
        Assert.Empty(host.Failures);
    }

    [Fact]
    public async Task Method_FailingWithInitialMetadata_SendsItApartFromTheStatus()
    {
        await using var host = await GrpcTestHost.StartAsync(service => service.Method("Fail", call =>
        {
            call.ResponseHeaders.Add("key", "value");
            throw new GrpcException(GrpcStatusCode.NotFound, "no");
        }));
        using var response = await host.PostAsync("Fail", OneByte);
        Assert.Equal("value", Header(response, "key"));
        Assert.Null(Header(response, "grpc-status"));
        Assert.Empty(await ReadAsync(response));
        Assert.Equal("5", Trailer(response, "grpc-status"));
    }

    [Fact]
    public async Task Method_FailingAfterAMessage_AnswersInTheTrailers()
    {
        await using var host = await GrpcTestHost.StartAsync(service => service.Method("Fail", async call =>
        {
            await call.WriteAsync(new byte[] { 1 });
            throw new GrpcException(GrpcStatusCode.DataLoss, "gone");
        }));
        using var response = await host.PostAsync("Fail", OneByte);
        Assert.Single(await ReadAsync(response));
        Assert.Equal(("15", "gone"), (Trailer(response, "grpc-status"), Trailer(response, "grpc-message")));
    }

    [Fact]
    public async Task Method_FailingAfterAnUnflushedMessage_SendsTheMessage()
    {
        await using var host = await GrpcTestHost.StartAsync(service => service.Method("Fail", call =>
        {
            call.BodyWriter.Write(OneByte);
            throw new GrpcException(GrpcStatusCode.DataLoss, "gone");
        }));
        using var response = await host.PostAsync("Fail", OneByte);
        Assert.Single(await ReadAsync(response));
        Assert.Equal("15", Trailer(response, "grpc-status"));
    }

    [Fact]
    public async Task Method_Throwing_IsUnknownWithoutDetailsAndReportedOnce()
    {
        await using var host = await GrpcTestHost.StartAsync(service => service.Method("Throw", _ => throw new IOException("secret")));
        using var response = await host.PostAsync("Throw", OneByte);
        Assert.Equal(("2", "the handler failed"), (Header(response, "grpc-status"), Header(response, "grpc-message")));
        var (method, exception) = Assert.Single(host.Failures);
        Assert.Equal("/test.Service/Throw", method);
        Assert.Equal("secret", exception.Message);
        host.Failures.Clear();
    }

    [Theory]
    [InlineData("POST", "text/plain", HttpStatusCode.UnsupportedMediaType)]
    [InlineData("POST", "application/grpc-web", HttpStatusCode.UnsupportedMediaType)]
    [InlineData("POST", "application/grpcx", HttpStatusCode.UnsupportedMediaType)]
    [InlineData("GET", "application/grpc", HttpStatusCode.MethodNotAllowed)]
    [InlineData("PUT", "application/grpc", HttpStatusCode.MethodNotAllowed)]
    [InlineData("POST", "application/grpc+proto", HttpStatusCode.OK)]
    [InlineData("POST", "application/grpc; charset=utf-8", HttpStatusCode.OK)]
    [InlineData("POST", "APPLICATION/GRPC", HttpStatusCode.OK)]
    public async Task Request_OfWhicheverKind_GetsTheHttpStatus(string method, string contentType, HttpStatusCode expected)
    {
        await using var host = await GrpcTestHost.StartAsync(service => service.Method("Empty", _ => Task.CompletedTask));
        using var response = await host.SendAsync(
            new HttpMethod(method), "/test.Service/Empty", new ByteArrayContent(OneByte), $"content-type: {contentType}");
        Assert.Equal(expected, response.StatusCode);
        if (expected != HttpStatusCode.OK)
            Assert.StartsWith("This port speaks gRPC", await response.Content.ReadAsStringAsync(), StringComparison.Ordinal);
    }

    [Fact]
    public async Task Request_OverHttp1_IsToldToUpgrade()
    {
        await using var host = await GrpcTestHost.StartAsync(service => service, protocols: HttpProtocols.Http1);
        using var client = new HttpClient();
        using var response = await client.PostAsync(new Uri(host.Address, "/test.Service/Empty"), new ByteArrayContent([]));
        Assert.Equal(HttpStatusCode.UpgradeRequired, response.StatusCode);
        Assert.Contains("HTTP/2", await response.Content.ReadAsStringAsync(), StringComparison.Ordinal);
    }

    [Theory]
    [InlineData("grpc-timeout: 1", "13")]
    [InlineData("grpc-timeout: soon", "13")]
    [InlineData("grpc-timeout: 99999999H", "0")]
    [InlineData("grpc-timeout: 99999999S", "0")]
    [InlineData("grpc-encoding: identity", "0")]
    [InlineData("grpc-encoding: gzip", "0")]
    [InlineData("grpc-encoding: zstd", "12")]
    [InlineData("grpc-encoding: ../../x", "12")]
    [InlineData("x-large: 20000", "0")]
    public async Task Request_WithAHeader_GetsTheStatus(string header, string expected)
    {
        await using var host = await GrpcTestHost.StartAsync(
            service => service.Unary("Echo", (request, _) => ValueTask.FromResult<ReadOnlyMemory<byte>>(request.ToArray())));
        if (header.StartsWith("x-large", StringComparison.Ordinal)) header = $"x-large: {new string('a', int.Parse(header[9..], null))}";
        using var response = await host.PostAsync("Echo", OneByte, header);
        await ReadAsync(response);
        Assert.Equal(expected, Header(response, "grpc-status") ?? Trailer(response, "grpc-status"));
        Assert.Equal("identity,gzip", Header(response, "grpc-accept-encoding"));
    }

    [Theory]
    [InlineData(2, 17_000)]
    [InlineData(200, 10)]
    public async Task Request_WithTooManyHeaders_IsRefusedBeforeAnyHandler(int count, int length)
    {
        await using var host = await GrpcTestHost.StartAsync(
            service => service.Method("Never", _ => throw new InvalidOperationException()));
        var headers = Enumerable.Range(0, count).Select(i => $"x-{i}: {new string('a', length)}").ToArray();
        try
        {
            using var response = await host.PostAsync("Never", OneByte, headers);
            Assert.Equal(HttpStatusCode.RequestHeaderFieldsTooLarge, response.StatusCode);
        }
        catch (HttpRequestException)
        {
            // Past a little more, Kestrel closes the connection.
        }
    }

    [Theory]
    [InlineData("", "13", "no request message")]
    [InlineData("00000000", "13", "inside a message")]
    [InlineData("000000000501", "13", "inside a message")]
    [InlineData("0100000000", "13", "marked compressed")]
    [InlineData("0700000000", "13", "flag 7")]
    [InlineData("007FFFFFFF00", "8", "over the limit of 4194304")]
    [InlineData("0000000003FFFFFF", "13", "is not a Api")]
    public async Task Request_FramedWrong_GetsTheStatusAndWhy(string hex, string expected, string reason)
    {
        await using var host = await GrpcTestHost.StartAsync(
            service => service.ServerStreaming("Subscribe", Api.Parser, (_, _) => Task.CompletedTask));
        using var response = await host.PostAsync("Subscribe", Convert.FromHexString(hex));
        Assert.Equal(expected, Header(response, "grpc-status"));
        Assert.Contains(reason, Header(response, "grpc-message"), StringComparison.Ordinal);
    }

    [Theory]
    [InlineData("gzip", "gzip", "1,0,1")]
    [InlineData("deflate, gzip ,br", "gzip", "1,0,1")]
    [InlineData("identity", "identity", "0,0,0")]
    [InlineData("gzipx", "identity", "0,0,0")]
    public async Task Responses_CompressedByMessage_AreFlaggedAsTheHeadersAllow(string accepted, string encoding, string flags)
    {
        await using var host = await GrpcTestHost.StartAsync(service => service.Method("Mix", async call =>
        {
            foreach (var compressed in new[] { true, false, true })
            {
                call.CompressResponses = compressed;
                await call.WriteAsync(new byte[1000]);
            }
        }));
        using var response = await host.PostAsync("Mix", OneByte, $"grpc-accept-encoding: {accepted}");
        Assert.Equal(encoding, Header(response, "grpc-encoding"));
        Assert.Equal(flags, string.Join(',', (await ReadAsync(response)).Select(each => each.Flag)));
    }

    [Fact]
    public async Task Response_EmptyToBeCompressed_IsSentAsItIs()
    {
        await using var host = await GrpcTestHost.StartAsync(service => service.Method("Empty", async call =>
        {
            call.CompressResponses = true;
            await call.WriteAsync(new Empty());
        }));
        using var response = await host.PostAsync("Empty", OneByte, "grpc-accept-encoding: gzip");
        Assert.Equal(GrpcFrames.Frame([]), await response.Content.ReadAsByteArrayAsync());
    }

    [Fact]
    public async Task Responses_CompressionSwitchedOnAfterTheHeaders_StayUncompressed()
    {
        await using var host = await GrpcTestHost.StartAsync(service => service.Method("Late", async call =>
        {
            await call.SendHeadersAsync();
            call.CompressResponses = true;
            await call.WriteAsync(new byte[1000]);
        }));
        using var response = await host.PostAsync("Late", OneByte, "grpc-accept-encoding: gzip");
        Assert.Equal("identity", Header(response, "grpc-encoding"));
        Assert.Equal(0, (await ReadAsync(response)).Single().Flag);
    }

    [Fact]
    public async Task Response_OverTheSendLimit_IsResourceExhausted()
    {
        await using var host = await GrpcTestHost.StartAsync(
            service => service.Unary("Large", (_, _) => ValueTask.FromResult<ReadOnlyMemory<byte>>(new byte[101])),
            new GrpcServerOptions { MaxSendMessageBytes = 100 });
        using var response = await host.PostAsync("Large", OneByte);
        Assert.Equal("8", Header(response, "grpc-status"));
    }

    [Fact]
    public async Task Responses_LargerThanEveryBuffer_ArriveWhole()
    {
        var message = new StringValue { Value = new string('x', 5_000_000) };
        await using var host = await GrpcTestHost.StartAsync(service => service.Method("Large", async call =>
        {
            for (var i = 0; i < 3; i++) await call.WriteAsync(message);
        }));
        using var response = await host.PostAsync("Large", OneByte);
        Assert.All(await ReadAsync(response), each => Assert.Equal(message, StringValue.Parser.ParseFrom(each.Message)));
        Assert.Equal("0", Trailer(response, "grpc-status"));
    }

    [Fact]
    public async Task Metadata_AddedAfterTheHeaders_IsTheHandlersError()
    {
        await using var host = await GrpcTestHost.StartAsync(service => service.Method("Late", async call =>
        {
            await call.SendHeadersAsync();
            Assert.Throws<InvalidOperationException>(() => call.ResponseHeaders.Add("key", "value"));
            call.ResponseTrailers.Add("key", "value");
        }));
        using var response = await host.PostAsync("Late", OneByte);
        await ReadAsync(response);
        Assert.Equal(("0", "value"), (Trailer(response, "grpc-status"), Trailer(response, "key")));
    }

    private static string? Header(HttpResponseMessage response, string name) =>
        response.Headers.TryGetValues(name, out var values) ? string.Join(',', values) : null;

    private static string? Trailer(HttpResponseMessage response, string name) =>
        response.TrailingHeaders.TryGetValues(name, out var values) ? string.Join(',', values) : null;

    private static async Task<List<(byte Flag, byte[] Message)>> ReadAsync(HttpResponseMessage response) =>
        GrpcFrames.Split(await response.Content.ReadAsByteArrayAsync());
}
