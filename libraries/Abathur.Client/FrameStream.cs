using System.Diagnostics;
using System.Runtime.CompilerServices;
using System.Buffers;
using Abathur.Sync.V1;

namespace Abathur.Client;

/// <summary>The frames of one connection, into one state.</summary>
internal sealed class FrameStream(DaemonConnection connection, SubscribeOptions options, FrameState frame)
{
    private readonly ArrayBufferWriter<byte> _fromJson = new();
    private SkippedFrames _skipped = new(options.EveryGameLoops);
    private FrameMessage _message = new();
    private bool _hasFrame;
    private string? _runId;
    private bool _isNextMatch;

    /// <summary>How the last match ended, if the subscription follows.</summary>
    public MatchEnded? Ended { get; private set; }

    /// <summary>Reads up to the next frame, the border of a match, or the end, which is also when the daemon is shutting down.</summary>
    /// <exception cref="BrokenConnectionException">The connection broke.</exception>
    /// <exception cref="RequestException">The daemon ends the subscription.</exception>
    /// <exception cref="ProtocolException">The daemon sent something else.</exception>
    [AsyncMethodBuilder(typeof(PoolingAsyncValueTaskMethodBuilder<>))]
    public async ValueTask<ServerMessage.MessageOneofCase> NextAsync(CancellationToken cancellationToken)
    {
        frame.Release();
        while (true)
        {
            ReadOnlyMemory<byte> bytes;
            try
            {
                bytes = await connection.NextAsync(cancellationToken).ConfigureAwait(false);
            }
            catch (DaemonStoppingException)
            {
                return ServerMessage.MessageOneofCase.End;
            }
            var received = Stopwatch.GetTimestamp();
            var kind = Read(bytes);
            switch (kind)
            {
                case ServerMessage.MessageOneofCase.Frame:
                    if (connection.HasGap) _skipped.Lose();
                    if (connection.Use != FrameUse.Give)
                    {
                        frame.Reset();
                        frame.Content.Read(_message);
                        if (connection.Use == FrameUse.Skip) _skipped.Add(frame.Content, _message.GameLoop);
                        break;
                    }
                    // The second frame comes while the first one is decoded: code is used for the first time there, which takes longer.
                    if (!_hasFrame && options.HasOwnCredit) await AcknowledgeAsync(cancellationToken).ConfigureAwait(false);
                    _hasFrame = true;
                    if (!_message.RunId.IsEmpty) _runId = System.Text.Encoding.UTF8.GetString(_message.RunId.Span);
                    frame.Read(_message, _runId ?? connection.RunId, ToNanoseconds(received), bytes.Length);
                    _skipped.Complete(frame);
                    return kind;
                case ServerMessage.MessageOneofCase.Match or ServerMessage.MessageOneofCase.MatchEnded
                    or ServerMessage.MessageOneofCase.End:
                    return kind;
            }
        }
    }

    /// <summary>Says that the frame is done, where the subscription needs it.</summary>
    public async ValueTask AcknowledgeAsync(CancellationToken cancellationToken)
    {
        if (!options.Acknowledges) return;
        try
        {
            await connection.AcknowledgeAsync(_message.Sequence, cancellationToken).ConfigureAwait(false);
        }
        catch (BrokenConnectionException)
        {
            // A connection that broke meanwhile is noticed when the next frame is read, after the frames that have arrived.
        }
    }

    private ServerMessage.MessageOneofCase Read(ReadOnlyMemory<byte> bytes)
    {
        if (connection.IsJson)
        {
            _fromJson.ResetWrittenCount();
            ServerText.ToProto(bytes.Span, _fromJson);
            bytes = _fromJson.WrittenMemory;
        }
        var (kind, body) = ServerText.Split(bytes);
        switch (kind)
        {
            case ServerMessage.MessageOneofCase.Frame:
                _message.Read(body);
                // What is decoded depends on nothing of the match before.
                if (_isNextMatch && !_message.IsKeyframe)
                    throw new ProtocolException($"frame {_message.Sequence} is the first of a match, and not a keyframe");
                _isNextMatch = false;
                break;
            case ServerMessage.MessageOneofCase.MatchEnded when options.Follow:
                Ended = ServerText.Parse<MatchEnded>(body.Span);
                break;
            case ServerMessage.MessageOneofCase.Match when options.Follow:
                connection.Continue(body.Span);
                (_skipped, _isNextMatch) = (new SkippedFrames(options.EveryGameLoops), true);
                break;
            case ServerMessage.MessageOneofCase.Error:
                var error = ServerText.Parse<Error>(body.Span);
                if (!error.Fatal) break;
                if (error.Code == DaemonStoppingException.Code) return ServerMessage.MessageOneofCase.End;
                throw RequestException.OfSubscription(error.Code, error.Message);
            case ServerMessage.MessageOneofCase.None or ServerMessage.MessageOneofCase.Match or ServerMessage.MessageOneofCase.MatchEnded
                or ServerMessage.MessageOneofCase.Published:
                throw new ProtocolException($"unexpected message {kind} in a subscription");
        }
        return kind;
    }

    private static long ToNanoseconds(long timestamp) => (long)(timestamp * (1e9 / Stopwatch.Frequency));
}
