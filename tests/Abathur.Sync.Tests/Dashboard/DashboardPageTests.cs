using System.IO.Compression;
using Abathur.Sync.Dashboard;
using Microsoft.AspNetCore.Http;

namespace Abathur.Sync.Tests.Dashboard;

public sealed class DashboardPageTests
{
    private const string Module = "/main.js";
    private const int Known = StatusCodes.Status304NotModified;
    private readonly DashboardPage _page = new();

    [Theory]
    [InlineData(null, "")]
    [InlineData("", "")]
    [InlineData("gzip, deflate, br, zstd", "br")]
    [InlineData("gzip, deflate", "gzip")]
    [InlineData("BR", "br")]
    [InlineData("x-gzip", "gzip")]
    [InlineData("br;q=0.5, gzip", "gzip")]
    [InlineData("br;q=0.5, gzip;q=0.4", "br")]
    [InlineData("br;q=0.001", "br")]
    [InlineData("br;q=0, gzip;q=0", "")]
    [InlineData("*", "br")]
    [InlineData("*;q=0.3, br;q=0.2", "gzip")]
    [InlineData("br;q=0, *", "gzip")]
    [InlineData("identity, br;q=0.9", "")]
    [InlineData("identity, br", "br")]
    [InlineData("identity;q=0, gzip;q=0.1", "gzip")]
    [InlineData("deflate, zstd", "")]
    // Nothing is acceptable: the file as it is.
    [InlineData("*;q=0", "")]
    [InlineData("identity;q=0", "")]
    [InlineData("br;q=much", "")]
    public async Task Get_AnswersInTheCodingThatTheClientPrefers(string? accepted, string coding)
    {
        var answer = await AskAsync("GET", Module, accepted);
        Assert.Equal(StatusCodes.Status200OK, answer.StatusCode);
        Assert.Equal(coding, answer.Headers.ContentEncoding.ToString());
        Assert.Equal("Accept-Encoding", answer.Headers.Vary.ToString());
        Assert.Equal(BodyOf(answer).Length, answer.ContentLength);
    }

    [Theory]
    [InlineData("br")]
    [InlineData("gzip")]
    public async Task Get_EachFileIsThatFileAfterDecompression(string coding)
    {
        foreach (var path in _page.Paths)
        {
            var (plain, answer) = (await AskAsync("GET", path, null), await AskAsync("GET", path, coding));
            var body = BodyOf(answer);
            Assert.Equal(BodyOf(plain), Decompress(body, answer.Headers.ContentEncoding.ToString()));
            Assert.Equal(plain.ContentType, answer.ContentType);
            Assert.True(body.Length <= BodyOf(plain).Length, path);
            // The same bytes again, of which a tag speaks.
            Assert.Equal(body, BodyOf(await AskAsync("GET", path, coding)));
        }
    }

    [Fact]
    public async Task Get_AFileThatWouldGrowStaysAsItIs()
    {
        var files = await Task.WhenAll(_page.Paths.Select(path => AskAsync("GET", path, "br")));
        Assert.All(files, answer => Assert.True(answer.Headers.ContentEncoding == "br" || answer.ContentLength < 300));
    }

    [Fact]
    public async Task Get_HasATagForEachCoding()
    {
        string[] codings = ["br", "gzip", "identity"];
        var tags = new List<string>();
        foreach (var coding in codings) tags.Add((await AskAsync("GET", Module, coding)).Headers.ETag.ToString());
        Assert.Equal(codings.Length, tags.Distinct().Count());
        foreach (var (at, coding) in codings.Index())
        {
            foreach (var (other, tag) in tags.Index())
            {
                var answer = await AskAsync("GET", Module, coding, $"\"another\", W/{tag}");
                Assert.Equal(at == other ? Known : StatusCodes.Status200OK, answer.StatusCode);
                Assert.Equal(tags[at], answer.Headers.ETag);
                Assert.Equal("Accept-Encoding", answer.Headers.Vary);
                if (at == other) Assert.Empty(BodyOf(answer));
            }
            Assert.Equal(Known, (await AskAsync("GET", Module, coding, "*")).StatusCode);
        }
    }

    [Theory]
    [InlineData("br")]
    [InlineData("gzip")]
    [InlineData("identity")]
    public async Task Head_HasTheHeadersOfGet(string coding)
    {
        var (get, head) = (await AskAsync("GET", Module, coding), await AskAsync("HEAD", Module, coding));
        Assert.Equal(get.Headers.Select(each => $"{each.Key}: {each.Value}"), head.Headers.Select(each => $"{each.Key}: {each.Value}"));
        Assert.Empty(BodyOf(head));
    }

    [Theory]
    [InlineData("/", true)]
    [InlineData("/icon.svg", true)]
    [InlineData(Module, false)]
    [InlineData("/style.css", false)]
    public async Task Get_WhatABrowserCanOpenAsAPageHasItsPolicy(string path, bool isDocument)
    {
        var headers = (await AskAsync("GET", path, "br")).Headers;
        Assert.Equal(isDocument ? DashboardPage.ContentSecurityPolicy : "", headers.ContentSecurityPolicy.ToString());
        Assert.Equal("nosniff", headers.XContentTypeOptions);
    }

    private static byte[] BodyOf(HttpResponse answer) => ((MemoryStream)answer.Body).ToArray();

    private static byte[] Decompress(byte[] body, string coding)
    {
        var input = new MemoryStream(body);
        using var output = new MemoryStream();
        using Stream stream = coding switch
        {
            "br" => new BrotliStream(input, CompressionMode.Decompress),
            "gzip" => new GZipStream(input, CompressionMode.Decompress),
            _ => input,
        };
        stream.CopyTo(output);
        return output.ToArray();
    }

    private async Task<HttpResponse> AskAsync(string method, string path, string? accepted, string? known = null)
    {
        var http = new DefaultHttpContext();
        (http.Request.Method, http.Request.Path, http.Response.Body) = (method, path, new MemoryStream());
        http.Request.Headers.AcceptEncoding = accepted;
        http.Request.Headers.IfNoneMatch = known;
        await _page.HandleAsync(http);
        return http.Response;
    }
}
