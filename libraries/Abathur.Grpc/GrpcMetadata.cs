using System.Buffers;
using System.Collections.Frozen;
using System.Diagnostics.CodeAnalysis;
using Microsoft.AspNetCore.Http;
using Microsoft.Extensions.Primitives;

namespace Abathur.Grpc;

/// <summary>
/// Custom metadata over HTTP headers. Keys are lower case; a key that ends in <c>-bin</c> carries bytes as base64
/// without padding (with padding and several values joined by commas are accepted).
/// </summary>
public sealed class GrpcMetadata
{
    private const string BinarySuffix = "-bin";
    private static readonly SearchValues<char> KeyCharacters = SearchValues.Create("0123456789abcdefghijklmnopqrstuvwxyz_-.");
    private static readonly FrozenSet<string> Reserved = FrozenSet.Create(
        "connection", "content-length", "content-type", "date", "host", "keep-alive", "proxy-connection", "server", "te", "trailer",
        "transfer-encoding", "upgrade");

    private readonly IHeaderDictionary _headers;

    internal GrpcMetadata(IHeaderDictionary headers) => _headers = headers;

    /// <summary>Whether a value has been added.</summary>
    internal bool HasAdded { get; private set; }

    /// <summary>The values of a text key, in order; empty if it is absent.</summary>
    public IReadOnlyList<string> GetAll(string key) => _headers.TryGetValue(key, out var values) ? [.. values.OfType<string>()] : [];

    /// <summary>The first value of a text key.</summary>
    public bool TryGet(string key, [NotNullWhen(true)] out string? value)
    {
        value = _headers.TryGetValue(key, out var values) ? values[0] : null;
        return value is not null;
    }

    /// <summary>The values of a <c>-bin</c> key. Throws <see cref="GrpcException"/> (INVALID_ARGUMENT) if one is not base64.</summary>
    public IReadOnlyList<byte[]> GetAllBinary(string key) =>
        [.. GetAll(key).SelectMany(joined => joined.Split(',')).Select(text => Decode(key, text.Trim()))];

    /// <summary>
    /// Adds a text value. The key consists of lower case letters, digits and <c>_-.</c>, and must not be used by HTTP or
    /// gRPC itself; the value consists of printable ASCII. Otherwise throws <see cref="ArgumentException"/>.
    /// </summary>
    public void Add(string key, string value)
    {
        if (key.EndsWith(BinarySuffix, StringComparison.Ordinal)) throw new ArgumentException($"{key} takes bytes", nameof(key));
        if (value.AsSpan().ContainsAnyExceptInRange(' ', '~'))
            throw new ArgumentException($"the value of {key} is not printable ASCII", nameof(value));
        Append(key, value);
    }

    /// <summary>Adds a value of bytes; the key as for text, and it must end in <c>-bin</c>.</summary>
    public void Add(string key, ReadOnlySpan<byte> value)
    {
        if (!key.EndsWith(BinarySuffix, StringComparison.Ordinal))
            throw new ArgumentException($"{key} does not end in {BinarySuffix}", nameof(key));
        Append(key, Convert.ToBase64String(value).TrimEnd('='));
    }

    internal void CopyTo(IHeaderDictionary target)
    {
        foreach (var (key, values) in _headers) target[key] = StringValues.Concat(target[key], values);
    }

    private void Append(string key, string value)
    {
        // Of gRPC's own names, handlers may only set the one with a google.rpc.Status.
        var isReserved = Reserved.Contains(key) || (key.StartsWith("grpc-", StringComparison.Ordinal) && key != "grpc-status-details-bin");
        if (key.Length == 0 || isReserved || key.AsSpan().ContainsAnyExcept(KeyCharacters))
            throw new ArgumentException($"{key} cannot be a metadata key", nameof(key));
        // Append would drop empty values.
        _headers[key] = StringValues.Concat(_headers[key], value);
        HasAdded = true;
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
