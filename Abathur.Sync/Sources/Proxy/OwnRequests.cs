using System.Collections.Concurrent;
using System.Security.Cryptography;
using Abathur.Sc2.Api;
using Google.Protobuf;
using SC2APIProtocol;

namespace Abathur.Sync.Sources.Proxy;

/// <summary>
/// The proxy's own requests, which are sent to the game between those of the bot. The game echoes the id of a request; the proxy uses a
/// separate range of ids to recognize the answers to its own requests.
/// </summary>
internal sealed class OwnRequests
{
    // Bots count from 0 or 1, or send no id at all.
    private const uint FirstId = 0x6000_0000;
    private readonly ConcurrentDictionary<uint, Action<ReadOnlyMemory<byte>?>> _waiting = new();
    private uint _lastId = FirstId + (uint)RandomNumberGenerator.GetInt32(0x0fff_0000);
    private int _outstanding;
    private volatile bool _closed;

    /// <summary>Whether an answer is outstanding.</summary>
    public bool AnyOutstanding => Volatile.Read(ref _outstanding) > 0;

    /// <summary>Assigns an id to a request and encodes it as a WebSocket message. Called and sent by one task at a time.</summary>
    /// <param name="request">The request.</param>
    /// <param name="answered">Called with the serialized <c>Response</c>, valid during the call, or null if there will be none. Must
    /// neither block nor throw.</param>
    public byte[] ToMessage(Request request, Action<ReadOnlyMemory<byte>?> answered)
    {
        request.Id = ++_lastId;
        Interlocked.Increment(ref _outstanding);
        _waiting[request.Id] = answered;
        if (_closed) Close();
        return WebSocketFrame.ToBinaryMessage(request.ToByteArray());
    }

    /// <summary>Whether a response answers one of them. The waiting caller gets the response.</summary>
    public bool TryComplete(ReadOnlyMemory<byte> response)
    {
        uint? id;
        try
        {
            id = ResponseWire.Read(response.Span).Id;
        }
        catch (InvalidDataException)
        {
            return false;
        }
        return id is not null && TryComplete(id.Value, response);
    }

    /// <summary>Ends all outstanding requests without an answer.</summary>
    public void Close()
    {
        _closed = true;
        foreach (var id in _waiting.Keys) TryComplete(id, null);
    }

    private bool TryComplete(uint id, ReadOnlyMemory<byte>? response)
    {
        if (!_waiting.TryRemove(id, out var answered)) return false;
        Interlocked.Decrement(ref _outstanding);
        answered(response);
        return true;
    }
}
