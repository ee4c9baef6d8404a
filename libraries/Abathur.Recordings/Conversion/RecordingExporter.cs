using Abathur.Recordings.Delimited;

namespace Abathur.Recordings.Conversion;

/// <summary>Writes the observations of a recording as a length-delimited stream.</summary>
public static class RecordingExporter
{
    /// <summary>Writes the observations whose game loop is at least <paramref name="start"/> and less than
    /// <paramref name="stop"/>.</summary>
    /// <param name="recording">The recording; its position moves.</param>
    /// <param name="output">Where they are written. It stays open.</param>
    /// <param name="start">First game loop.</param>
    /// <param name="stop">Game loop before which to stop.</param>
    /// <param name="progress">Told the number of observations that are written, after each. Default: none.</param>
    /// <param name="cancellationToken">Cancels it.</param>
    /// <returns>Their number and bytes.</returns>
    /// <exception cref="Mcap.McapException">The recording is damaged.</exception>
    /// <exception cref="IOException">A file cannot be read or written.</exception>
    /// <exception cref="OperationCanceledException">Cancelled.</exception>
    public static (long FrameCount, long Bytes) Export(
        RecordingReader recording, Stream output, uint start = 0, uint stop = uint.MaxValue, IProgress<long>? progress = null,
        CancellationToken cancellationToken = default)
    {
        var writer = new DelimitedObservationWriter(output);
        foreach (var observation in recording.ReadBetween(start, stop))
        {
            cancellationToken.ThrowIfCancellationRequested();
            writer.Write(observation.Payload.Span);
            progress?.Report(writer.FrameCount);
        }
        output.Flush();
        return (writer.FrameCount, writer.Bytes);
    }
}
