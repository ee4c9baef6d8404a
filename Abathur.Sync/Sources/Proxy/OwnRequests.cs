using System.Collections.Concurrent;
using System.Security.Cryptography;
using Abathur.Sc2.Api;
using Google.Protobuf;
using SC2APIProtocol;

namespace Abathur.Sync.Sources.Proxy;

/// <summary>
/// Requests of the proxy's own that go to the game between the bot's. The game echoes the id of a request; theirs lie in a range of their own, so
/// that their answers are told from the bot's.
/// </summary>
internal sealed class OwnRequests
{
    // Bots count from 0 or 1, or send no id at all.
    private const uint FirstId = 0x6000_0000;
    private readonly ConcurrentDictionary<uint, Action<ReadOnlyMemory<byte>?>> _waiting = new();
    private uint _lastId = FirstId + (uint)RandomNumberGenerator.GetInt32(0x0fff_0000);
    private int _outstanding;
    private volatile bool _closed;

    /// <summary>Whether an answer is on its way.</summary>
    public bool AnyOutstanding => Volatile.Read(ref _outstanding) > 0;

    /// <summary>Gives a request an id, and makes a WebSocket message of it. To be called, and sent, by one task at a time.</summary>
    /// <param name="request">The request.</param>
    /// <param name="answered">Told the serialized <c>Response</c>, valid during the call; or null when none will come. Must neither block nor throw.</param>
    public byte[] ToMessage(Request request, Action<ReadOnlyMemory<byte>?> answered)
    {
        request.Id = ++_lastId;
        Interlocked.Increment(ref _outstanding);
        _waiting[request.Id] = answered;
        if (_closed) Close();
        return WebSocketFrame.ToBinaryMessage(request.ToByteArray());
    }

    /// <summary>Whether a response answers one of them; whoever waits is told then.</summary>
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

    /// <summary>No answer will come any more.</summary>
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
