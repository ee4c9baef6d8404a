using FsCheck;
using FsCheck.Fluent;
using Microsoft.AspNetCore.Http;

namespace Abathur.Grpc.Tests;

public class GrpcMetadataTests
{
    private readonly HeaderDictionary _headers = [];

    private GrpcMetadata Metadata => new(_headers);

    [Fact]
    public void Binary_AnyValues_ComeBackInOrder() =>
        Prop.ForAll<byte[][]>(values =>
        {
            var metadata = new GrpcMetadata(new HeaderDictionary());
            foreach (var value in values) metadata.Add("key-bin", value);
            return metadata.GetAllBinary("key-bin").Zip(values).All(pair => pair.First.AsSpan().SequenceEqual(pair.Second))
                && metadata.GetAllBinary("key-bin").Count == values.Length;
        }).QuickCheckThrowOnFailure();

    [Theory]
    [InlineData("q6ur", "ABABAB")]
    [InlineData("qw", "AB")]
    [InlineData("qw==", "AB")]
    [InlineData("qw,q6s=", "AB-ABAB")]
    [InlineData("qw, q6s", "AB-ABAB")]
    public void Binary_PaddedOrNotOrJoined_IsDecoded(string header, string expected)
    {
        _headers["key-bin"] = header;
        Assert.Equal(expected.Split('-'), Metadata.GetAllBinary("key-bin").Select(Convert.ToHexString));
    }

    [Theory]
    [InlineData("a")]
    [InlineData("!!!!")]
    [InlineData("q6=u")]
    public void Binary_NotBase64_IsTheCallersError(string header)
    {
        _headers["key-bin"] = header;
        Assert.Equal(GrpcStatusCode.InvalidArgument, Assert.Throws<GrpcException>(() => Metadata.GetAllBinary("key-bin")).StatusCode);
    }

    [Fact]
    public void Text_SeveralValues_ComeBackInOrder()
    {
        Metadata.Add("key", "a");
        Metadata.Add("key", "");
        Metadata.Add("key", "b, c");
        Assert.Equal(["a", "", "b, c"], Metadata.GetAll("key"));
        Assert.True(Metadata.TryGet("key", out var first));
        Assert.Equal("a", first);
        Assert.False(Metadata.TryGet("other", out _));
        Assert.Empty(Metadata.GetAll("other"));
    }

    [Theory]
    [InlineData("", "value")]
    [InlineData("Key", "value")]
    [InlineData("a key", "value")]
    [InlineData("key\n", "value")]
    [InlineData(":path", "value")]
    [InlineData("schlüssel", "value")]
    [InlineData("grpc-status", "value")]
    [InlineData("content-type", "value")]
    [InlineData("key-bin", "value")]
    [InlineData("key", "täxt")]
    [InlineData("key", "a\r\nb: c")]
    public void Text_WhatHeadersCannotCarry_IsRefused(string key, string value) =>
        Assert.Throws<ArgumentException>(() => Metadata.Add(key, value));

    [Fact]
    public void Binary_KeyWithoutItsEnding_IsRefused()
    {
        Assert.Throws<ArgumentException>(() => Metadata.Add("key", [1, 2]));
        Metadata.Add("grpc-status-details-bin", [1, 2]);
    }
}
