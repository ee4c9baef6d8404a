using System.Runtime.InteropServices;
using Abathur.Mcap;
using Abathur.Sc2;

namespace Abathur.Recordings;

/// <summary>Reads a recorded match: a forward cursor over its observations that can seek to any game loop. Not thread-safe.</summary>
/// <remarks>
/// Works on every MCAP file that has protobuf observations on topic /observation, with or without index, and on compact recordings, whose
/// observations are equal to the recorded ones, but not in the same bytes. Holds one chunk in memory. A truncated file is read up to its
/// last complete chunk, and <see cref="Damage"/> is set. If the file has the metadata of a recording, the game loop of an observation is
/// that of its publish time; otherwise it is read from the observation.
/// </remarks>
public sealed class RecordingReader : IDisposable
{
    // Its descriptor would say it, too, but not without those of all messages of the game.
    private const string Schema = $"{nameof(SC2APIProtocol)}.{nameof(SC2APIProtocol.ResponseObservation)}";

    private readonly McapReader _mcap;
    private readonly RecordingCursor _cursor;
    private readonly HashSet<ushort> _channels = [];
    private readonly List<Block> _blocks = [];
    private readonly HashSet<ushort> _drawingChannels = [];
    private readonly bool _publishTimeIsGameTime;
    private bool _isAtNext;
    private byte[] _drawings = [];
    private bool _drawingsAreKnown = true;

    /// <param name="mcap">The file. It is disposed with this, also if this constructor throws.</param>
    /// <exception cref="RecordingException">It has no observations of the right kind, or is damaged before the first one.</exception>
    /// <exception cref="IOException">The file cannot be read.</exception>
    public RecordingReader(McapReader mcap)
    {
        _mcap = mcap;
        try
        {
            FindChannels();
            _cursor = NewCursor();
            FrameCount = CountFrames();
            _publishTimeIsGameTime = TryReadMatch(out var match);
            Match = match;
            FindBlocks();
            GameInfo = ReadFirst(RecordingTopics.GameInfo);
            GameData = ReadFirst(RecordingTopics.GameData);
            (FirstGameLoop, LastGameLoop) = FindEnds();
            Rewind();
        }
        catch (McapException e) when (!e.IsUnsupported)
        {
            Dispose();
            throw new RecordingException(e.Message, e) { Remedy = RecordingRemedy.Recover };
        }
        catch
        {
            Dispose();
            throw;
        }
    }

    /// <summary>The underlying file.</summary>
    public McapReader Mcap => _mcap;

    /// <summary>The match of the file. Without metadata: a match id from the file's name, the rest unknown.</summary>
    public RecordingMatch Match { get; }

    /// <summary>Serialized <c>ResponseGameInfo</c>; null if the file has none.</summary>
    public ReadOnlyMemory<byte>? GameInfo { get; }

    /// <summary>Serialized <c>ResponseData</c>; null if the file has none.</summary>
    public ReadOnlyMemory<byte>? GameData { get; }

    /// <summary>Game loop of the first observation, or 0.</summary>
    public uint FirstGameLoop { get; }

    /// <summary>Game loop of the last observation, or 0.</summary>
    public uint LastGameLoop { get; }

    /// <summary>Number of observations.</summary>
    public long FrameCount { get; }

    /// <summary>The topics of <see cref="ReadMessages"/>.</summary>
    public IEnumerable<string> Topics => _mcap.Channels.Values
        .Select(channel => channel.Topic == RecordingTopics.Columns ? RecordingTopics.Observation : channel.Topic).Distinct();

    /// <summary>Time from the first to the last game loop at the match's tick rate.</summary>
    public TimeSpan Duration => TimeSpan.FromSeconds(LastGameLoop > FirstGameLoop ? (LastGameLoop - FirstGameLoop) / Match.TickHz : 0);

    /// <summary>Whether the end of the file is missing or damaged.</summary>
    public bool Truncated => _mcap.Damage is not null;

    /// <summary>What is wrong with the end of the file; null if it is valid.</summary>
    public string? Damage => _mcap.Damage;

    /// <summary>
    /// All that agents had drawn at the observation that was read last: a serialized <c>Drawings</c>, the same memory until they change;
    /// empty: nothing.
    /// </summary>
    /// <remarks>In a file without an index, after a seek, only those in the current chunk before the observation.</remarks>
    /// <exception cref="McapException">The file is damaged before that observation.</exception>
    public ReadOnlyMemory<byte> Drawings
    {
        get
        {
            if (!_drawingsAreKnown) _drawings = FindDrawingsBefore(_cursor.BlockOffset);
            _drawingsAreKnown = true;
            return _drawings;
        }
    }

    /// <summary>Opens a recording.</summary>
    /// <param name="path">The file.</param>
    /// <param name="options">Limits and checks.</param>
    /// <param name="cancellationToken">Cancels opening, and later reading.</param>
    /// <exception cref="RecordingException">The file is missing, is not a recording, or is damaged at its start.</exception>
    /// <exception cref="McapException">It is not an MCAP file, or uses an unsupported feature.</exception>
    /// <exception cref="IOException">The file cannot be read.</exception>
    /// <exception cref="UnauthorizedAccessException">The file may not be read.</exception>
    /// <exception cref="OperationCanceledException">Cancelled.</exception>
    public static RecordingReader Open(string path, McapReaderOptions? options = null, CancellationToken cancellationToken = default)
    {
        if (Directory.Exists(path)) throw new RecordingException($"{path} is a folder, not a recording");
        if (!File.Exists(path)) throw new RecordingException($"there is no file {path}");
        options ??= new McapReaderOptions();
        if (cancellationToken.CanBeCanceled) options = options with { CancellationToken = cancellationToken };
        return new RecordingReader(McapReader.Open(path, options));
    }

    /// <summary>Reads the next observation. False after the last.</summary>
    /// <param name="observation">The observation; its payload is valid until the reader moves.</param>
    /// <exception cref="McapException">The file is damaged there.</exception>
    /// <exception cref="RecordingException">The observation is not readable as protobuf.</exception>
    public bool ReadNext(out RecordedObservation observation)
    {
        if (!_isAtNext && !MoveToObservation())
        {
            observation = default;
            return false;
        }
        _isAtNext = false;
        var message = _cursor.Current;
        observation = new RecordedObservation(GameLoopOf(_cursor), unchecked((long)message.LogTime), message.Sequence, _cursor.Data);
        return true;
    }

    /// <summary>The observations whose game loop is at least <paramref name="start"/> and less than <paramref name="stop"/>.</summary>
    /// <param name="start">First game loop.</param>
    /// <param name="stop">Game loop before which to stop; <see cref="uint.MaxValue"/>: to the end.</param>
    /// <returns>Each observation; its payload is valid until the next is read.</returns>
    /// <remarks>Moves the position of this reader.</remarks>
    /// <exception cref="McapException">The file is damaged there.</exception>
    /// <exception cref="RecordingException">An observation is not readable as protobuf.</exception>
    public IEnumerable<RecordedObservation> ReadBetween(uint start, uint stop)
    {
        if (start > 0) SeekToGameLoop(start);
        else Rewind();
        while (ReadNext(out var observation) && (stop == uint.MaxValue || observation.GameLoop < stop)) yield return observation;
    }

    /// <summary>Moves before the first observation whose game loop is at least this one. If it does not exist, returns false and moves
    /// after the last one.</summary>
    /// <remarks>
    /// If loops increase through the file, as in any recording of a match, this is a binary search over the chunks; loops that were looked
    /// up are cached. Of equal loops it finds the first.
    /// </remarks>
    /// <exception cref="McapException">The file is damaged there.</exception>
    /// <exception cref="RecordingException">An observation is not readable as protobuf.</exception>
    public bool SeekToGameLoop(uint gameLoop)
    {
        if (FindBlock(gameLoop) is { } offset) MoveTo(offset);
        else Rewind();
        while (MoveToObservation())
        {
            if (GameLoopOf(_cursor) < gameLoop) continue;
            _isAtNext = true;
            return true;
        }
        return false;
    }

    /// <summary>Moves before the first observation.</summary>
    public void Rewind()
    {
        _isAtNext = false;
        (_drawings, _drawingsAreKnown) = ([], true);
        _cursor.Rewind();
    }

    /// <summary>The messages of all topics, in the order of the file. The payload of one is valid until the next is read.</summary>
    /// <param name="startGameLoop">Skips messages before this game loop.</param>
    /// <remarks>Independent of <see cref="ReadNext"/>, except that looking for the start moves its position.</remarks>
    /// <exception cref="McapException">The file is damaged.</exception>
    public IEnumerable<RecordedMessage> ReadMessages(uint startGameLoop = 0)
    {
        using var cursor = NewCursor();
        if (startGameLoop > 0 && FindBlock(startGameLoop) is { } offset) cursor.MoveTo(offset);
        while (cursor.MoveNext())
        {
            var message = cursor.Current;
            var isObservation = _channels.Contains(message.ChannelId);
            var gameLoop = isObservation ? GameLoopOf(cursor) : GameTime.ToGameLoop(message.PublishTime);
            if (gameLoop < startGameLoop) continue;
            var channel = _mcap.Channels.GetValueOrDefault(message.ChannelId);
            var schema = channel is null ? null : _mcap.Schemas.GetValueOrDefault(channel.SchemaId);
            yield return new RecordedMessage(
                isObservation ? RecordingTopics.Observation : channel?.Topic ?? "", isObservation ? Schema : schema?.Name ?? "", gameLoop,
                message.LogTime, message.Sequence, cursor.Data);
        }
    }

    /// <inheritdoc/>
    public void Dispose()
    {
        // The constructor may have thrown before it had one.
        _cursor?.Dispose();
        _mcap.Dispose();
    }

    private void FindChannels()
    {
        foreach (var channel in _mcap.Channels.Values.Where(channel => channel.Topic == RecordingTopics.Observation))
        {
            var schema = _mcap.Schemas.GetValueOrDefault(channel.SchemaId);
            if (schema?.Name != Schema || channel.MessageEncoding != RecordingTopics.Protobuf)
            {
                throw new RecordingException(
                    $"{_mcap.Name}: topic {RecordingTopics.Observation} has schema \"{schema?.Name}\" in encoding "
                        + $"\"{channel.MessageEncoding}\"; "
                    + $"a recording has {Schema} in {RecordingTopics.Protobuf}");
            }
            _channels.Add(channel.Id);
        }
        _channels.UnionWith(RecordingCursor.SegmentsOf(_mcap));
        _drawingChannels.UnionWith(
            _mcap.Channels.Values.Where(channel => channel.Topic == RecordingTopics.Drawings).Select(channel => channel.Id));
        if (_channels.Count > 0) return;
        if (Truncated)
        {
            throw new RecordingException($"{_mcap.Name} was truncated before its first chunk was complete ({Damage})")
            {
                Remedy = RecordingRemedy.Recover,
            };
        }
        var topics = string.Join(
            ", ", _mcap.Channels.Values.Select(channel => channel.Topic).Distinct().Order(StringComparer.Ordinal).Take(10));
        throw new RecordingException(
            $"{_mcap.Name} is not a recording of a match: it has no topic {RecordingTopics.Observation}, only "
                + $"{(topics.Length == 0 ? "none at all" : topics)}");
    }

    private RecordingCursor NewCursor() => new(_mcap, _channels);

    private long CountFrames()
    {
        var (whole, segments) = (0L, 0L);
        foreach (var channel in _channels)
        {
            var count = (long)_mcap.Statistics.ChannelMessageCounts.GetValueOrDefault(channel);
            if (_cursor.Segments.Contains(channel)) segments += count;
            else whole += count;
        }
        if (segments == 0) return whole;
        if (_mcap.Metadata.FirstOrDefault(metadata => metadata.Name == CompactFrames.MetadataName) is { } index
            && CompactFrames.From(_mcap.ReadMetadata(index)) is var counted && counted.Segments == segments)
            return whole + counted.Frames;
        // A file that was cut, or made from one.
        using var cursor = _mcap.ReadMessages();
        var frames = 0L;
        while (cursor.MoveNext())
        {
            if (_cursor.Segments.Contains(cursor.Current.ChannelId)) frames += _cursor.CountFrames(cursor.Current);
        }
        return whole + frames;
    }

    private bool TryReadMatch(out RecordingMatch match)
    {
        var index = _mcap.Metadata.FirstOrDefault(metadata => metadata.Name == RecordingMatch.MetadataName);
        match = index is null
            ? new RecordingMatch { MatchId = Path.GetFileNameWithoutExtension(_mcap.Name) }
            : RecordingMatch.From(_mcap.ReadMetadata(index));
        return index is not null;
    }

    private void FindBlocks()
    {
        foreach (var chunk in _mcap.Chunks)
        {
            // If the index lists the channels of the chunk, a chunk without observations need not be opened.
            if (chunk.MessageIndexOffsets.Count == 0 || chunk.MessageIndexOffsets.Keys.Any(_channels.Contains))
                _blocks.Add(new Block((long)chunk.ChunkStartOffset, null));
        }
        if (_mcap.Chunks.Count > 0) return;
        // Without chunks every message is a block; one in 64 is dense enough.
        const int Every = 64;
        for (var i = 0; MoveToObservation(); i++)
        {
            if (i % Every == 0) _blocks.Add(new Block(_cursor.BlockOffset, GameLoopOf(_cursor)));
        }
    }

    private (uint First, uint Last) FindEnds()
    {
        if (FrameCount == 0) return (0, 0);
        Rewind();
        var first = MoveToObservation() ? GameLoopOf(_cursor) : 0;
        while (_blocks.Count > 0)
        {
            var last = _blocks.Count - 1;
            MoveTo(_blocks[last].Offset);
            uint? loop = null;
            while (MoveToObservation()) loop = GameLoopOf(_cursor);
            if (loop is { } found) return (first, found);
            _blocks.RemoveAt(last);
        }
        return (first, first);
    }

    private ReadOnlyMemory<byte>? ReadFirst(string topic)
    {
        foreach (var channel in _mcap.Channels.Values.Where(channel => channel.Topic == topic))
        {
            if (_mcap.Statistics.ChannelMessageCounts.GetValueOrDefault(channel.Id) == 0) continue;
            var chunk = _mcap.Chunks.FirstOrDefault(chunk => chunk.MessageIndexOffsets.ContainsKey(channel.Id));
            if (chunk is null) _cursor.Rewind();
            else _cursor.MoveTo((long)chunk.ChunkStartOffset);
            while (_cursor.MoveNext())
            {
                if (_cursor.Current.ChannelId == channel.Id) return _cursor.Data.ToArray();
            }
        }
        return null;
    }

    // The last block that starts before the loop: the target is in it or starts the next one.
    private long? FindBlock(uint gameLoop)
    {
        var (low, high) = (0, _blocks.Count);
        while (low < high)
        {
            var middle = low + (high - low) / 2;
            if (!TryFirstLoop(middle, out var first))
            {
                _blocks.RemoveAt(middle);
                high--;
            }
            else if (first < gameLoop)
            {
                low = middle + 1;
            }
            else
            {
                high = middle;
            }
        }
        return low == 0 ? null : _blocks[low - 1].Offset;
    }

    private bool TryFirstLoop(int block, out uint gameLoop)
    {
        var (offset, known) = _blocks[block];
        gameLoop = known ?? 0;
        if (known is not null) return true;
        MoveTo(offset);
        if (!MoveToObservation() || _cursor.BlockOffset != offset) return false;
        gameLoop = GameLoopOf(_cursor);
        CollectionsMarshal.AsSpan(_blocks)[block] = new Block(offset, gameLoop);
        return true;
    }

    private void MoveTo(long offset)
    {
        _isAtNext = false;
        _drawingsAreKnown = _drawingChannels.Count == 0;
        _cursor.MoveTo(offset);
    }

    private bool MoveToObservation()
    {
        while (_cursor.MoveNext())
        {
            var message = _cursor.Current;
            if (_channels.Contains(message.ChannelId)) return true;
            if (_drawingChannels.Contains(message.ChannelId)) (_drawings, _drawingsAreKnown) = (message.Data.ToArray(), true);
        }
        return false;
    }

    /// <summary>The last drawings in a chunk before this one. The index lists the chunks with drawings.</summary>
    private byte[] FindDrawingsBefore(long blockOffset)
    {
        if (_mcap.Chunks.LastOrDefault(chunk => (long)chunk.ChunkStartOffset < blockOffset && chunk.MessageIndexOffsets.Keys.Any(
            _drawingChannels.Contains)) is not { } block)
            return [];
        using var cursor = _mcap.ReadMessages();
        cursor.MoveTo((long)block.ChunkStartOffset);
        byte[] last = [];
        while (cursor.MoveNext() && cursor.BlockOffset == (long)block.ChunkStartOffset)
        {
            if (_drawingChannels.Contains(cursor.Current.ChannelId)) last = cursor.Current.Data.ToArray();
        }
        return last;
    }

    private uint GameLoopOf(RecordingCursor cursor)
    {
        if (_publishTimeIsGameTime) return GameTime.ToGameLoop(cursor.Current.PublishTime);
        if (ObservationWire.TryReadGameLoop(cursor.Data.Span, out var gameLoop)) return gameLoop;
        throw new RecordingException(
            $"{_mcap.Name}: observation with sequence {cursor.Current.Sequence} is not a serialized ResponseObservation");
    }

    // A position from which the cursor can start, and the game loop of the first observation there, if known.
    private readonly record struct Block(long Offset, uint? FirstLoop);
}
