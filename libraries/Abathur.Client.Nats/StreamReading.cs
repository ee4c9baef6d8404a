using System.Diagnostics;
using System.Threading.Channels;
using Abathur.Client.Nats.Wire;
using NATS.Client.JetStream;
using NATS.Client.JetStream.Models;

namespace Abathur.Client.Nats;

/// <summary>Reads the messages of a stream in order, each one once, by an ordered consumer; and finds out whether a relay is there while
/// nothing comes. One task at a time.</summary>
internal sealed class StreamReading : IDisposable
{
    /// <summary>Messages, and their bytes, that were received and not taken: then nothing more is asked for. The server keeps the
    /// rest.</summary>
    private const int MaxWaiting = 65_536, MaxWaitingBytes = 64 * 1024 * 1024;

    private const string ConsumerSubjects = "$JS.API.CONSUMER.";

    /// <summary>Messages that are asked for at once. The library has room for more, so that it drops none.</summary>
    private const int AskedForAtOnce = 1000;

    /// <summary>After so long without a message a relay is asked whether it is there; it may be silent for so long.</summary>
    private static readonly TimeSpan Silence = TimeSpan.FromSeconds(3), RelayAway = TimeSpan.FromSeconds(10);
    private static readonly TimeSpan LookEach = TimeSpan.FromSeconds(1);
    private static readonly TimeSpan Heartbeat = TimeSpan.FromSeconds(1), Expires = TimeSpan.FromSeconds(5);

    private readonly NatsServers _servers;
    private readonly StoredMatch _stored;
    private readonly string _match;
    private readonly Channel<StoredMessage> _waiting = Channel.CreateBounded<StoredMessage>(MaxWaiting);
    private readonly CancellationTokenSource _over = new();
    private readonly SemaphoreSlim _room = new(1);
    private long _waitingBytes;
    private long _heard = Stopwatch.GetTimestamp();
    private long _asked = Stopwatch.GetTimestamp();

    /// <summary>The newest message that was taken, and where the stream was when a silence was looked at.</summary>
    private ulong _taken;
    private ulong? _lastSeen;

    /// <param name="servers">The servers.</param>
    /// <param name="stored">The stream.</param>
    /// <param name="match">Name of the match.</param>
    /// <param name="position">The first message to read.</param>
    public StreamReading(NatsServers servers, StoredMatch stored, string match, ulong position)
    {
        position = Math.Max(1, position);
        (_servers, _stored, _match, _taken) = (servers, stored, match, position - 1);
        _servers.Denied += EndIfDenied;
        _ = ReceiveAsync(position, _over.Token);
        _ = AnnounceAsync(_over.Token);
    }

    /// <summary>The next message. Waits for it.</summary>
    /// <exception cref="BrokenConnectionException">The connection broke, or no relay serves the match any more.</exception>
    /// <exception cref="RequestException">The servers deny the consumer.</exception>
    /// <exception cref="ServersLostException">They do not answer.</exception>
    /// <exception cref="MatchMissingException">The stream was deleted.</exception>
    /// <exception cref="NatsProblemException">The user may not look at the stream.</exception>
    public async ValueTask<StoredMessage> NextAsync(CancellationToken cancellationToken)
    {
        while (true)
        {
            if (TryTake(out var message)) return message;
            using var limit = CancellationTokenSource.CreateLinkedTokenSource(cancellationToken);
            limit.CancelAfter(LookEach);
            try
            {
                if (await _waiting.Reader.WaitToReadAsync(limit.Token).ConfigureAwait(false)) continue;
                throw new BrokenConnectionException("the consumer has ended");
            }
            catch (OperationCanceledException) when (!cancellationToken.IsCancellationRequested)
            {
                await CheckRelayAsync(cancellationToken).ConfigureAwait(false);
            }
        }
    }

    /// <summary>Takes a message that has been received.</summary>
    public bool TryTake(out StoredMessage message)
    {
        if (!_waiting.Reader.TryRead(out message!)) return false;
        (_heard, _taken, _lastSeen) = (Stopwatch.GetTimestamp(), message.Position, null);
        Interlocked.Add(ref _waitingBytes, -message.Data.Length);
        if (_room.CurrentCount == 0) _room.Release();
        return true;
    }

    /// <inheritdoc/>
    public void Dispose()
    {
        _servers.Denied -= EndIfDenied;
        _over.Cancel();
    }

    /// <summary>The library tries again for ever to make a consumer that the servers deny.</summary>
    private void EndIfDenied(NatsProblemException denial, string subject)
    {
        if (subject.StartsWith(ConsumerSubjects, StringComparison.OrdinalIgnoreCase))
            _waiting.Writer.TryComplete(NatsFailure.Of(denial));
    }

    private async Task ReceiveAsync(ulong position, CancellationToken over)
    {
        try
        {
            var start = new NatsJSOrderedConsumerOpts
            {
                DeliverPolicy = ConsumerConfigDeliverPolicy.ByStartSequence,
                OptStartSeq = position,
            };
            var consumer = await _servers.JetStream.CreateOrderedConsumerAsync(RelayNames.Stream(_match), start, over)
                .ConfigureAwait(false);
            var options = new NatsJSConsumeOpts { MaxMsgs = AskedForAtOnce, IdleHeartbeat = Heartbeat, Expires = Expires };
            await foreach (var message in consumer.ConsumeAsync<byte[]>(opts: options, cancellationToken: over).ConfigureAwait(false))
            {
                var place = message.Metadata?.Sequence.Stream ?? 0;
                var stamp = RelayStamp.Of(
                    name => message.Headers is { } headers && headers.TryGetLastValue(name, out var value) ? value : null, _match, place);
                var data = message.Data ?? [];
                while (Interlocked.Read(ref _waitingBytes) + data.Length > MaxWaitingBytes && Interlocked.Read(ref _waitingBytes) > 0)
                    await _room.WaitAsync(over).ConfigureAwait(false);
                Interlocked.Add(ref _waitingBytes, data.Length);
                await _waiting.Writer.WriteAsync(new StoredMessage(place, stamp, data), over).ConfigureAwait(false);
            }
            _waiting.Writer.TryComplete();
        }
        catch (Exception e)
        {
            // Whatever the library throws while a connection breaks: the next subscription says what is wrong.
            _waiting.Writer.TryComplete(new BrokenConnectionException($"NATS: {NatsServers.ReasonOf(e)}", e));
        }
    }

    /// <summary>Tells the relay that there is a reader, which it counts.</summary>
    private async Task AnnounceAsync(CancellationToken over)
    {
        var number = System.Text.Encoding.ASCII.GetBytes(Guid.NewGuid().ToString("N"));
        try
        {
            while (true)
            {
                await _servers.Connection.PublishAsync(RelayNames.Watch(_match, RelayNames.Here), number, cancellationToken: over)
                    .ConfigureAwait(false);
                await Task.Delay(RelayNames.HereEach, over).ConfigureAwait(false);
            }
        }
        catch (Exception) when (over.IsCancellationRequested)
        {
            // The subscription has ended.
        }
    }

    private async Task CheckRelayAsync(CancellationToken cancellationToken)
    {
        if (Stopwatch.GetElapsedTime(Math.Max(_heard, _asked)) < Silence) return;
        bool isThere;
        try
        {
            isThere = await _servers.HasRelayAsync(_match, ifSilent: false, cancellationToken).ConfigureAwait(false);
        }
        catch (ServersLostException)
        {
            isThere = false;
        }
        if (isThere) await CheckConsumerAsync(cancellationToken).ConfigureAwait(false);
        else if (Stopwatch.GetElapsedTime(_heard) > RelayAway)
            throw new BrokenConnectionException($"no relay serves the match '{_match}'");
        _asked = Stopwatch.GetTimestamp();
    }

    /// <summary>Fails where the stream has messages that do not come: the consumer was lost, or another stream has its name.</summary>
    private async Task CheckConsumerAsync(CancellationToken cancellationToken)
    {
        var (_, last) = await _stored.RangeAsync(cancellationToken).ConfigureAwait(false);
        // Those that were stored just now are on their way.
        if (last != _taken && last == _lastSeen) throw new BrokenConnectionException("the messages of the stream do not come");
        (_lastSeen, _heard) = (last, Stopwatch.GetTimestamp());
    }
}
