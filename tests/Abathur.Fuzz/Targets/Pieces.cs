using System.IO.Pipelines;

namespace Abathur.Fuzz.Targets;

/// <summary>Bytes that arrive as a network brings them: in pieces of any size.</summary>
internal static class Pieces
{
    private const int MaxPiece = 700;

    /// <summary>Gives bytes to whatever reads the pipe, piece by piece, and completes it. All on this thread.</summary>
    /// <param name="bytes">What arrives.</param>
    /// <param name="seed">Sizes of the pieces.</param>
    /// <param name="reading">Starts the reader.</param>
    public static T Feed<T>(ReadOnlySpan<byte> bytes, int seed, Func<PipeReader, Task<T>> reading)
    {
        var pipe = new Pipe(new PipeOptions(
            readerScheduler: PipeScheduler.Inline, writerScheduler: PipeScheduler.Inline, pauseWriterThreshold: 0,
            useSynchronizationContext: false));
        var result = reading(pipe.Reader);
        var random = new Random(seed);
        while (!bytes.IsEmpty && !result.IsCompleted)
        {
            var piece = bytes[..Math.Min(bytes.Length, random.Next(1, MaxPiece))];
            bytes = bytes[piece.Length..];
            pipe.Writer.Write(piece);
            pipe.Writer.FlushAsync().AsTask().GetAwaiter().GetResult();
        }
        pipe.Writer.Complete();
        Check.That(result.IsCompleted, "it waits for more than there is");
        return result.GetAwaiter().GetResult();
    }

    private static void Write(this PipeWriter writer, ReadOnlySpan<byte> bytes)
    {
        bytes.CopyTo(writer.GetSpan(bytes.Length));
        writer.Advance(bytes.Length);
    }
}
