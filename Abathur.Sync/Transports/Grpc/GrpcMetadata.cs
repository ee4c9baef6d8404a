using System.Diagnostics.CodeAnalysis;
using Microsoft.AspNetCore.Http;

namespace Abathur.Sync.Transports.Grpc;

/// <summary>
/// Custom metadata over HTTP headers. Keys are lower case; a key that ends in <c>-bin</c> carries bytes as base64
/// without padding (with padding and several values joined by commas are accepted).
/// </summary>
public sealed class GrpcMetadata
{
    private const string BinarySuffix = "-bin";
    private readonly IHeaderDictionary _headers;

    internal GrpcMetadata(IHeaderDictionary headers) => _headers = headers;

    /// <summary>The values of a text key, in order; empty where it is absent.</summary>
    public IReadOnlyList<string> GetAll(string key) => _headers.TryGetValue(key, out var values) ? [.. values.OfType<string>()] : [];

    /// <summary>The first value of a text key.</summary>
    public bool TryGet(string key, [NotNullWhen(true)] out string? value)
    {
        value = _headers.TryGetValue(key, out var values) ? values[0] : null;
        return value is not null;
    }

    /// <summary>The values of a <c>-bin</c> key. Throws <see cref="GrpcException"/> (INVALID_ARGUMENT) where one is not base64.</summary>
    public IReadOnlyList<byte[]> GetAllBinary(string key) =>
        [.. GetAll(key).SelectMany(joined => joined.Split(',')).Select(text => Decode(key, text.Trim()))];

    /// <summary>Adds a text value. The value must be printable ASCII.</summary>
    public void Add(string key, string value)
    {
        if (key.EndsWith(BinarySuffix, StringComparison.Ordinal)) throw new ArgumentException($"{key} takes bytes", nameof(key));
        if (value.AsSpan().ContainsAnyExceptInRange(' ', '~')) throw new ArgumentException($"the value of {key} is not printable ASCII", nameof(value));
        _headers.Append(key, value);
    }

    /// <summary>Adds a value of bytes; the key must end in <c>-bin</c>.</summary>
    public void Add(string key, ReadOnlySpan<byte> value)
    {
        if (!key.EndsWith(BinarySuffix, StringComparison.Ordinal)) throw new ArgumentException($"{key} does not end in {BinarySuffix}", nameof(key));
        _headers.Append(key, Convert.ToBase64String(value).TrimEnd('='));
    }

    internal void CopyTo(IHeaderDictionary target)
    {
        foreach (var (key, values) in _headers) target.Append(key, values);
    }

    private static byte[] Decode(string key, string text)
    {
        var padded = text.TrimEnd('=');
        padded = padded.PadRight((padded.Length + 3) / 4 * 4, '=');
        try
        {
            return Convert.FromBase64String(padded);
        }
        catch (FormatException)
        {
            throw new GrpcException(GrpcStatusCode.InvalidArgument, $"metadata {key} is not base64");
        }
    }
}
