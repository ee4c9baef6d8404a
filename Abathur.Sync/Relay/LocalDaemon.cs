using Abathur.Client.Nats.Wire;
using Abathur.Sync.Access;
using Abathur.Sync.Frames;
using Abathur.Sync.Hub;
using Abathur.Sync.Transports;
using Abathur.Sync.Transports.Framing;
using Abathur.Sync.V1;

namespace Abathur.Sync.Relay;

/// <summary>A match of this process.</summary>
/// <param name="api">Its requests.</param>
/// <param name="level">What the readers of the relay may do.</param>
/// <param name="peer">Where the frames go, for the status.</param>
/// <param name="match">The match, which has begun.</param>
internal sealed class LocalDaemon(SyncApi api, AccessLevel level, string peer, Match match) : IRelayedDaemon
{
    private static readonly TransportTraits Traits = new("nats", Encoding.Columns, CanAcknowledge: false, WireFormat.Protobuf);

    /// <inheritdoc/>
    public string Place => "this daemon";

    /// <inheritdoc/>
    public Task<Match> MatchAsync(CancellationToken cancellationToken) => Task.FromResult(match);

    /// <inheritdoc/>
    public Task<Status> StatusAsync(string runId, CancellationToken cancellationToken) => Task.FromResult(api.GetStatus(level, runId));

    /// <inheritdoc/>
    public async Task<SubscriptionEnd> ReadAsync(
        SubscribeRequest request, Func<RelayedFrame, CancellationToken, ValueTask> take, CancellationToken cancellationToken)
    {
        using var reader = await api.SubscribeAsync(request, Traits, peer, level);
        var subscription = reader.Subscription;
        using var over = CancellationTokenSource.CreateLinkedTokenSource(cancellationToken, subscription.Aborted);
        await using var closing = over.Token.Register(subscription.Close);
        using var output = new Output(take, over.Token);
        var end = await subscription.SendAsync(output, over.Token);
        cancellationToken.ThrowIfCancellationRequested();
        return output.Failure is null ? end : throw new ServersLostException(output.Failure.Message, output.Failure);
    }

    /// <inheritdoc/>
    public Task<Result> AnswerAsync(ClientMessage request, CancellationToken cancellationToken) =>
        api.AnswerAsync(request, level, cancellationToken);

    /// <summary>Passes frames on.</summary>
    private sealed class Output(Func<RelayedFrame, CancellationToken, ValueTask> take, CancellationToken over) : IFrameOutput, IDisposable
    {
        private readonly List<(ulong Sequence, uint GameLoop, bool IsKeyframe, SharedBuffer Message)> _written = [];

        /// <summary>Why a frame was not taken; null: all were.</summary>
        public Exception? Failure { get; private set; }

        public bool WritePending() => false;

        public int WriteFrame(EncodedFrame frame, in DroppedFrames dropped)
        {
            var bytes = ProtoFraming.MeasureFrame(frame, dropped);
            var message = SharedBuffer.Rent(bytes);
            ProtoFraming.WriteFrame(message, frame, dropped);
            _written.Add((frame.Sequence, frame.GameLoop, frame.IsKeyframe, message));
            return bytes;
        }

        public async ValueTask<bool> FlushAsync(CancellationToken cancellationToken)
        {
            try
            {
                foreach (var (sequence, loop, isKeyframe, message) in _written)
                    await take(new RelayedFrame(sequence, loop, isKeyframe, message.Memory), over);
                return true;
            }
            catch (Exception e) when (e is OperationCanceledException or ServersLostException)
            {
                // One that is cancelled has been told to end, and why.
                Failure = e as ServersLostException;
                return false;
            }
            finally
            {
                Dispose();
            }
        }

        public void Dispose()
        {
            foreach (var each in _written) each.Message.Release();
            _written.Clear();
        }
    }
}
