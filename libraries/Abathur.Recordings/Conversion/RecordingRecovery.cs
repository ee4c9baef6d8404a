using Abathur.Mcap;
using Abathur.Recordings.Files;

namespace Abathur.Recordings.Conversion;

/// <summary>Makes a complete file of an MCAP file that was truncated, was never closed, or has garbage at its end.</summary>
/// <remarks>
/// The new file has every message of every complete chunk, and the readable messages of a truncated last chunk: without compression up to
/// the last byte, with zstd up to the last complete block of up to 128 KiB. Attachments and metadata are copied. A chunk whose CRC is wrong
/// is omitted and counted.
/// </remarks>
public static class RecordingRecovery
{
    /// <summary>Reads <paramref name="input"/> and writes <paramref name="output"/>, which is created only when it is complete.</summary>
    /// <param name="input">The damaged file; it is not changed.</param>
    /// <param name="output">The new file.</param>
    /// <param name="options">How it is written. Default: with the compression of the input.</param>
    /// <param name="overwrite">Whether an existing file is replaced.</param>
    /// <param name="onKilledRun">Called for an unfinished output of a killed run that was renamed.</param>
    /// <param name="progress">Told the bytes of the input that are done, after each record or chunk. Default: none.</param>
    /// <param name="cancellationToken">Cancels it; the unfinished output is removed.</param>
    /// <returns>What was recovered. The observations of a compact recording count as if they were messages of /observation.</returns>
    /// <exception cref="McapException">The input is not an MCAP file, ends inside its header, or uses an unsupported feature.</exception>
    /// <exception cref="RecordingException">The output is the input, or already exists.</exception>
    /// <exception cref="IOException">A file cannot be read or written, or the output was created by another program meanwhile; the message
    /// then has the actual path.</exception>
    /// <exception cref="OperationCanceledException">Cancelled.</exception>
    public static McapRecoveryResult Recover(
        string input, string output, RecordingOptions? options = null, bool overwrite = false, Action<KilledRun>? onKilledRun = null,
        IProgress<long>? progress = null, CancellationToken cancellationToken = default)
    {
        if (!File.Exists(input)) throw new RecordingException($"there is no file {input}");
        using var file = new OutputFile(output, new OutputOptions { Overwrite = overwrite, Inputs = [input], OnKilledRun = onKilledRun });
        using var damaged = new FileStream(input, FileMode.Open, FileAccess.Read, FileShare.ReadWrite | FileShare.Delete, bufferSize: 0);
        options ??= new RecordingOptions { Compression = McapRecovery.CompressionOf(damaged) };
        var result = McapRecovery.Recover(damaged, file.Stream, options.ToMcap(), progress, cancellationToken);
        try
        {
            if (result.MessagesByTopic.GetValueOrDefault(RecordingTopics.Columns) > 0) result = WithFrames(result, file, cancellationToken);
        }
        catch (Exception e) when (e is McapException or RecordingException)
        {
            // What was copied stays, though its frames cannot be counted.
            file.CommitOrThrow();
            throw;
        }
        file.CommitOrThrow();
        return result;
    }

    private static McapRecoveryResult WithFrames(McapRecoveryResult result, OutputFile file, CancellationToken cancellationToken)
    {
        file.Stream.Flush();
        using var reader = RecordingReader.Open(file.WritePath, cancellationToken: cancellationToken);
        var byTopic = new Dictionary<string, long>(result.MessagesByTopic) { [RecordingTopics.Observation] = reader.FrameCount };
        byTopic.Remove(RecordingTopics.Columns);
        return result with { MessagesByTopic = byTopic, MessageCount = byTopic.Values.Sum() };
    }
}
