using Abathur.Compression;
using Abathur.Protobuf;
using Abathur.Recordings.Delimited;
using Abathur.Recordings.Files;
using Abathur.Sc2;
using Google.Protobuf;
using SC2APIProtocol;

namespace Abathur.Recordings.Conversion;

/// <summary>Converts serialized observations to a recording.</summary>
public static class RecordingImporter
{
    private const double NanosecondsPerSecond = 1e9;

    /// <summary>Reads all inputs in order into one recording.</summary>
    /// <remarks>
    /// The file is written as <c>OUTPUT.part</c> and renamed at the end. After an error in the input it is removed; after a failed write it
    /// stays as <c>OUTPUT.part</c> for recovery. If the import is cancelled, or the input is truncated, the part before is completed and
    /// kept.
    /// </remarks>
    /// <exception cref="RecordingException">An input is invalid (the message has file, frame and byte offset), or the output already
    /// exists.</exception>
    /// <exception cref="UnfinishedFileException">The output cannot be completed; the written part stays.</exception>
    /// <exception cref="IOException">A file cannot be read or written.</exception>
    /// <exception cref="UnauthorizedAccessException">A file may not be read or written.</exception>
    /// <exception cref="CompressionException">libzstd is missing.</exception>
    public static ImportResult Import(
        IReadOnlyList<ImportInput> inputs, string output, ImportOptions options, CancellationToken cancellationToken = default)
    {
        using var file = new OutputFile(
            output,
            new OutputOptions
            {
                Overwrite = options.Overwrite,
                Inputs = [.. inputs.Select(input => input.Name)],
                OnKilledRun = options.OnKilledRun,
            });
        var map = options.MapName ?? MapNameOf(options.GameInfo);
        if (options.GameData is { } data) Check<ResponseData>(data, "the game data");
        RecordingWriter? writer = null;
        var result = default(ImportResult);
        var logTime = 0L;
        try
        {
            try
            {
                foreach (var input in inputs)
                {
                    cancellationToken.ThrowIfCancellationRequested();
                    ImportOne(input);
                }
            }
            catch (OperationCanceledException)
            {
                result = result with { Interrupted = true };
            }
            catch (TruncatedStreamException e) when (writer is not null)
            {
                result = result with { Damage = e.Message };
            }
            if (writer is null)
            {
                if (result.Interrupted) return result;
                throw new RecordingException($"there are no observations in {string.Join(", ", inputs.Select(input => input.Name))}");
            }
            writer.Close();
            result = result with { FileBytes = writer.BytesWritten };
        }
        catch (IOException e) when (writer is { ObservationCount: > 0 } && file.Keep())
        {
            // Usually because the disk is full. Keep the file, because its complete chunks can be recovered.
            throw new UnfinishedFileException(file.WritePath, e);
        }
        finally
        {
            writer?.Dispose();
        }
        file.CommitOrThrow();
        return result;

        void ImportOne(ImportInput input)
        {
            using var stream = input.Open();
            if (input.IsSingle)
            {
                Add(input, ReadAll(input, stream), 0, 0);
                return;
            }
            using var reader = new DelimitedObservationReader(stream, input.Name);
            while (TryReadNext(reader, input, out var observation))
            {
                Add(input, observation, reader.FrameCount - 1, reader.Offset - observation.Length);
                cancellationToken.ThrowIfCancellationRequested();
            }
        }

        void Add(ImportInput input, ReadOnlyMemory<byte> observation, long frame, long offset)
        {
            if (observation.IsEmpty || !ObservationWire.TryReadGameLoop(observation.Span, out var gameLoop))
            {
                throw new RecordingException(
                    $"{input.Name}: frame {frame} (byte offset {offset}, {observation.Length} bytes) is not a serialized "
                        + "ResponseObservation");
            }
            // A few kilobytes can decompress to more than the disk has.
            if (observation.Length > options.MaxBytes - result.ObservationBytes)
                throw new RecordingException($"{input.Name}: frame {frame}: more than {options.MaxBytes} bytes of observations")
                {
                    Remedy = RecordingRemedy.RaiseMaxBytes,
                };
            if (result.FrameCount == options.MaxFrames)
                throw new RecordingException($"{input.Name}: more than {options.MaxFrames} observations")
                {
                    Remedy = RecordingRemedy.RaiseMaxFrames,
                };
            writer ??= Start(observation);
            // Readers use the log time: if loops do not increase (single frames of many maps), each frame is one tick after the last one.
            logTime = Math.Max(
                LogTime(options, gameLoop),
                result.FrameCount == 0 ? long.MinValue : logTime + (long)(NanosecondsPerSecond / options.TickHz));
            writer.WriteObservation(gameLoop, logTime, observation.Span);
            result = result with
            {
                FirstGameLoop = result.FrameCount == 0 ? gameLoop : result.FirstGameLoop,
                LastGameLoop = gameLoop,
                FrameCount = result.FrameCount + 1,
                ObservationBytes = result.ObservationBytes + observation.Length,
            };
        }

        RecordingWriter Start(ReadOnlyMemory<byte> firstObservation)
        {
            var match = new RecordingMatch
            {
                MatchId = options.MatchId,
                PlayerId = PlayerIdOf(firstObservation),
                MapName = map,
                GameVersion = options.GameVersion,
                TickHz = options.TickHz,
                Source = "import",
                Simulated = options.Simulated,
            };
            var created = new RecordingWriter(file.Stream, match, options.Recording, leaveOpen: true);
            // From here on the caller disposes it.
            writer = created;
            if (options.GameInfo is { } gameInfo) created.WriteGameInfo(options.StartTimeUnixNs, gameInfo.Span);
            if (options.GameData is { } gameData) created.WriteGameData(options.StartTimeUnixNs, gameData.Span);
            return created;
        }
    }

    private static long LogTime(ImportOptions options, uint gameLoop) =>
        options.StartTimeUnixNs + (long)Math.Round(gameLoop * (NanosecondsPerSecond / options.TickHz));

    private static bool TryReadNext(DelimitedObservationReader reader, ImportInput input, out ReadOnlyMemory<byte> observation)
    {
        try
        {
            return reader.TryReadNext(out observation);
        }
        catch (CompressionException e)
        {
            throw new RecordingException(
                $"{input.Name}: {e.Message} (after frame {reader.FrameCount - 1}, byte offset {reader.Offset})", e);
        }
    }

    private static byte[] ReadAll(ImportInput input, Stream stream)
    {
        try
        {
            var bytes = ImportInput.ReadAll(stream, input.Name);
            return bytes.Length > 0 ? bytes : throw new RecordingException($"{input.Name} is empty");
        }
        catch (CompressionException e)
        {
            throw new RecordingException($"{input.Name}: {e.Message}", e);
        }
    }

    private static uint PlayerIdOf(ReadOnlyMemory<byte> observation) =>
        Check<ResponseObservation>(observation, "the first frame").Observation?.PlayerCommon?.PlayerId ?? 0;

    private static string MapNameOf(ReadOnlyMemory<byte>? gameInfo) =>
        gameInfo is { } bytes ? Check<ResponseGameInfo>(bytes, "the game info").MapName : "";

    private static T Check<T>(ReadOnlyMemory<byte> bytes, string what) where T : class, IMessage<T>, new()
    {
        try
        {
            return LenientParser.Parse<T>(bytes.Span);
        }
        catch (InvalidProtocolBufferException e)
        {
            throw new RecordingException($"{what} is not a serialized {typeof(T).Name}: {e.Message}", e);
        }
    }
}
