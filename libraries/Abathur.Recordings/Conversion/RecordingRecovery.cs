using Abathur.Mcap;
using Abathur.Recordings.Files;

namespace Abathur.Recordings.Conversion;

/// <summary>Makes a proper file of an MCAP file that was cut, that was never closed, or whose tail is garbage.</summary>
/// <remarks>
/// The new file has every message of every chunk that is whole, and every message of the last one as far as it goes: uncompressed to the
/// byte, with zstd to its last whole block of up to 128 KiB. Attachments and metadata come along. A chunk in the middle that does not
/// fit its CRC is omitted and counted.
/// </remarks>
public static class RecordingRecovery
{
    /// <summary>Reads <paramref name="input"/> and writes <paramref name="output"/>, which appears only when it is complete.</summary>
    /// <param name="input">The damaged file; it is not changed.</param>
    /// <param name="output">The new file.</param>
    /// <param name="options">How it is written. Default: compressed as the input is.</param>
    /// <param name="overwrite">Whether an existing file is replaced.</param>
    /// <param name="onKilledRun">Told of an unfinished output of a killed run that was renamed.</param>
    /// <param name="cancellation">Stops it; nothing is left behind then.</param>
    /// <exception cref="McapException">The input is not an MCAP file, ends inside its header, or uses what is not supported.</exception>
    /// <exception cref="RecordingException">The output is the input, or is taken.</exception>
    /// <exception cref="IOException">A file cannot be read or written, or the output was taken meanwhile; the message says where it is then.</exception>
    /// <exception cref="OperationCanceledException">Cancelled.</exception>
    public static McapRecoveryResult Recover(
        string input, string output, RecordingOptions? options = null, bool overwrite = false, Action<KilledRun>? onKilledRun = null, CancellationToken cancellation = default)
    {
        if (!File.Exists(input)) throw new RecordingException($"there is no file {input}");
        using var file = new OutputFile(output, new OutputOptions { Overwrite = overwrite, Inputs = [input], OnKilledRun = onKilledRun });
        using var damaged = new FileStream(input, FileMode.Open, FileAccess.Read, FileShare.ReadWrite | FileShare.Delete, bufferSize: 0);
        options ??= new RecordingOptions { Compression = McapRecovery.CompressionOf(damaged) };
        var result = McapRecovery.Recover(damaged, file.Stream, options.ToMcap(), cancellation);
        file.CommitOrThrow();
        return result;
    }
}
