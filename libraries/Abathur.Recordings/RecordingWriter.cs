using System.Buffers;
using Abathur.Mcap;
using Abathur.Sc2;
using Abathur.Sync.V1;
using Google.Protobuf;

namespace Abathur.Recordings;

/// <summary>Records a match into an MCAP file. Not thread-safe.</summary>
/// <remarks>
/// Log time is the time of capture, publish time is the game loop as a <see cref="GameTime"/>, and the sequence number counts the
/// messages of each channel from 0. A topic is in the file if it has a message; /observation always is. Payloads are copied unchanged and
/// never parsed, but for observations that are written compactly. Chunks are passed to the operating system as they are completed, so a
/// killed process loses only the open chunk.
/// </remarks>
public sealed class RecordingWriter : IDisposable
{
    private readonly McapWriter _mcap;
    private readonly SegmentWriter? _segments;
    private readonly FrameRuns _runs = new();
    private readonly Topic _columns = new(RecordingTopics.Columns);
    private readonly Topic _observations = new(RecordingTopics.Observation);
    private readonly Topic _actions = new(RecordingTopics.Actions);
    private readonly Topic _events = new(RecordingTopics.Events);
    private readonly Topic _gameInfo = new(RecordingTopics.GameInfo);
    private readonly Topic _gameData = new(RecordingTopics.GameData);
    private readonly Topic _drawings = new(RecordingTopics.Drawings);
    private readonly Topic _plots = new(RecordingTopics.Plots);

    /// <param name="output">Receives the file.</param>
    /// <param name="match">The match.</param>
    /// <param name="options">How it is written.</param>
    /// <param name="leaveOpen">Whether the stream stays open.</param>
    /// <exception cref="IOException">The write failed.</exception>
    /// <exception cref="Abathur.Compression.CompressionException">zstd is requested and libzstd is missing.</exception>
    public RecordingWriter(Stream output, RecordingMatch match, RecordingOptions? options = null, bool leaveOpen = false)
        : this(new McapWriter(output, (options ?? new RecordingOptions()).ToMcap(), leaveOpen), match, options ?? new RecordingOptions())
    {
    }

    private RecordingWriter(McapWriter mcap, RecordingMatch match, RecordingOptions options)
    {
        _mcap = mcap;
        if (options.Compact) _segments = new SegmentWriter(mcap, options.ChunkSizeBytes, _runs);
        try
        {
            _mcap.WriteMetadata(match.ToMetadata());
            // Added first, so that a file without observations is also a valid recording.
            (_segments is null ? _observations : _columns).EnsureAdded(_mcap);
        }
        catch
        {
            _mcap.Dispose();
            throw;
        }
    }

    /// <summary>Observations so far.</summary>
    public long ObservationCount => _observations.Next;

    /// <summary>Observations in the file, without those of the open chunk or of a chunk whose write failed.</summary>
    public long ObservationsWritten => _mcap.MessagesWritten(_observations.Channel) + (_segments?.FramesWritten ?? 0);

    /// <summary>Messages of all topics so far, of which a segment is one; after a failed write only those in the file.</summary>
    public long MessageCount => _mcap.MessageCount;

    /// <inheritdoc cref="McapWriter.IsComplete"/>
    public bool IsComplete => _mcap.IsComplete;

    /// <summary>Bytes written to the file so far.</summary>
    public long BytesWritten => _mcap.BytesWritten;

    /// <summary>Starts a recording.</summary>
    /// <param name="path">The file. It is replaced if it exists.</param>
    /// <param name="match">The match.</param>
    /// <param name="options">How it is written.</param>
    /// <exception cref="IOException">The file cannot be created or written.</exception>
    /// <exception cref="UnauthorizedAccessException">The file cannot be created.</exception>
    /// <exception cref="Abathur.Compression.CompressionException">zstd is requested and libzstd is missing.</exception>
    public static RecordingWriter Create(string path, RecordingMatch match, RecordingOptions? options = null) =>
        new(McapWriter.Create(path, (options ?? new RecordingOptions()).ToMcap()), match, options ?? new RecordingOptions());

    /// <summary>Adds an observation: a serialized <c>ResponseObservation</c>.</summary>
    /// <param name="gameLoop">Its game loop.</param>
    /// <param name="capturedUnixNs">When it was captured, in nanoseconds since 1970-01-01 UTC.</param>
    /// <param name="responseObservation">The bytes. Copied.</param>
    /// <exception cref="IOException">The write failed.</exception>
    public void WriteObservation(uint gameLoop, long capturedUnixNs, ReadOnlySpan<byte> responseObservation)
    {
        if (_segments is null)
        {
            Write(_observations, gameLoop, capturedUnixNs, responseObservation);
        }
        else if (_segments.TryAdd(_observations.Next, gameLoop, capturedUnixNs, responseObservation))
        {
            _observations.Next++;
            if (_segments.IsFull) WriteSegment();
        }
        else
        {
            WriteSegment();
            Write(_observations, gameLoop, capturedUnixNs, responseObservation);
        }
        _runs.AddFrame(gameLoop);
    }

    /// <inheritdoc cref="WriteObservation(uint, long, ReadOnlySpan{byte})"/>
    public void WriteObservation(uint gameLoop, long capturedUnixNs, in ReadOnlySequence<byte> responseObservation)
    {
        if (_segments is null)
        {
            _mcap.WriteMessage(
                _observations.EnsureAdded(_mcap), _observations.Next++, (ulong)capturedUnixNs, GameTime.ToNanoseconds(gameLoop),
                responseObservation);
            _runs.AddFrame(gameLoop);
        }
        else
        {
            var isOnePiece = responseObservation.IsSingleSegment;
            WriteObservation(gameLoop, capturedUnixNs, isOnePiece ? responseObservation.FirstSpan : responseObservation.ToArray());
        }
    }

    /// <summary>Adds actions: a serialized <c>RequestAction</c>.</summary>
    /// <param name="gameLoop">Game loop of the observation that they answer.</param>
    /// <param name="capturedUnixNs">When they were captured, in nanoseconds since 1970-01-01 UTC.</param>
    /// <param name="requestAction">The bytes. Copied.</param>
    /// <exception cref="IOException">The write failed.</exception>
    public void WriteActions(uint gameLoop, long capturedUnixNs, ReadOnlySpan<byte> requestAction) =>
        Write(_actions, gameLoop, capturedUnixNs, requestAction);

    /// <summary>Adds an event at its game loop.</summary>
    /// <exception cref="IOException">The write failed.</exception>
    public void WriteEvent(long capturedUnixNs, Event matchEvent) =>
        Write(_events, matchEvent.GameLoop, capturedUnixNs, matchEvent.ToByteArray());

    /// <summary>Adds the current drawings: a serialized <c>Drawings</c>.</summary>
    /// <param name="gameLoop">Game loop of the observation that follows.</param>
    /// <param name="capturedUnixNs">When it was captured, in nanoseconds since 1970-01-01 UTC.</param>
    /// <param name="drawings">The bytes. Copied.</param>
    /// <exception cref="IOException">The write failed.</exception>
    public void WriteDrawings(uint gameLoop, long capturedUnixNs, ReadOnlySpan<byte> drawings) =>
        Write(_drawings, gameLoop, capturedUnixNs, drawings);

    /// <summary>Adds the points since the last call: a serialized <c>Plots</c>.</summary>
    /// <param name="gameLoop">Game loop of the observation that follows.</param>
    /// <param name="capturedUnixNs">When it was captured, in nanoseconds since 1970-01-01 UTC.</param>
    /// <param name="plots">The bytes. Copied.</param>
    /// <exception cref="IOException">The write failed.</exception>
    public void WritePlots(uint gameLoop, long capturedUnixNs, ReadOnlySpan<byte> plots) =>
        Write(_plots, gameLoop, capturedUnixNs, plots);

    /// <summary>Adds the game info: a serialized <c>ResponseGameInfo</c>. Once, best before the first observation.</summary>
    /// <exception cref="InvalidOperationException">It was already added.</exception>
    /// <exception cref="IOException">The write failed.</exception>
    public void WriteGameInfo(long capturedUnixNs, ReadOnlySpan<byte> responseGameInfo, uint gameLoop = 0) =>
        WriteOnce(_gameInfo, gameLoop, capturedUnixNs, responseGameInfo);

    /// <summary>Adds the game data: a serialized <c>ResponseData</c>. Once, best before the first observation.</summary>
    /// <exception cref="InvalidOperationException">It was already added.</exception>
    /// <exception cref="IOException">The write failed.</exception>
    public void WriteGameData(long capturedUnixNs, ReadOnlySpan<byte> responseData, uint gameLoop = 0) =>
        WriteOnce(_gameData, gameLoop, capturedUnixNs, responseData);

    /// <summary>Ends the open chunk and passes it to the operating system.</summary>
    /// <exception cref="IOException">The write failed.</exception>
    public void Flush()
    {
        WriteSegment();
        _mcap.Flush();
    }

    /// <summary>Writes the end of the recording.</summary>
    /// <exception cref="IOException">The write failed.</exception>
    public void Close()
    {
        if (!_mcap.IsComplete)
        {
            // Behind all frames.
            Flush();
            if (_segments is not null) _mcap.WriteMetadata(new CompactFrames(_segments.Segments, _segments.FramesWritten).ToMetadata());
            if (_runs.ToMetadata(hasSegments: _segments is not null) is { } runs) _mcap.WriteMetadata(runs);
        }
        _mcap.Close();
    }

    /// <inheritdoc cref="McapWriter.Dispose"/>
    public void Dispose()
    {
        try
        {
            if (_mcap.IsUsable) Close();
        }
        finally
        {
            _mcap.Dispose();
        }
    }

    /// <summary>The file.</summary>
    internal McapWriter Mcap => _mcap;

    /// <summary>Adds a message of another recording, of one of the topics of <see cref="RecordingTopics"/>.</summary>
    /// <exception cref="IOException">The write failed.</exception>
    internal void WriteMessage(in RecordedMessage message)
    {
        var capturedUnixNs = (long)message.LogTimeNs;
        if (message.Topic == RecordingTopics.Observation) WriteObservation(message.GameLoop, capturedUnixNs, message.Payload.Span);
        else Write(TopicOf(message.Topic), message.GameLoop, capturedUnixNs, message.Payload.Span);
    }

    private Topic TopicOf(string name) => name switch
    {
        RecordingTopics.Actions => _actions,
        RecordingTopics.Events => _events,
        RecordingTopics.GameInfo => _gameInfo,
        RecordingTopics.GameData => _gameData,
        RecordingTopics.Drawings => _drawings,
        RecordingTopics.Plots => _plots,
        _ => throw new ArgumentException($"{name} is not a topic of a recording.", nameof(name)),
    };

    private void WriteSegment()
    {
        if (_segments is not null) _segments.Write(_columns.EnsureAdded(_mcap));
    }

    private void Write(Topic topic, uint gameLoop, long capturedUnixNs, ReadOnlySpan<byte> data)
    {
        // Readers put messages before a segment between its frames, by their times.
        if (_segments?.LastCapturedUnixNs >= capturedUnixNs) WriteSegment();
        _mcap.WriteMessage(topic.EnsureAdded(_mcap), topic.Next++, (ulong)capturedUnixNs, GameTime.ToNanoseconds(gameLoop), data);
    }

    private void WriteOnce(Topic topic, uint gameLoop, long capturedUnixNs, ReadOnlySpan<byte> data)
    {
        if (topic.Next > 0) throw new InvalidOperationException($"{topic.Name} was already added.");
        Write(topic, gameLoop, capturedUnixNs, data);
    }

    private sealed class Topic(string name)
    {
        public string Name => name;

        /// <summary>The channel; 0 before the first message.</summary>
        public ushort Channel { get; private set; }

        /// <summary>Sequence number of the next message.</summary>
        public uint Next { get; set; }

        /// <summary>The channel. Added with its first message, because a schema has 30 to 40 KB and is in the file twice.</summary>
        public ushort EnsureAdded(McapWriter mcap)
        {
            if (Channel != 0) return Channel;
            var message = RecordingTopics.MessageOf(name);
            var schema = mcap.AddSchema(message.FullName, RecordingTopics.Protobuf, RecordingTopics.DescriptorSet(message));
            return Channel = mcap.AddChannel(schema, name, RecordingTopics.Protobuf);
        }
    }
}
