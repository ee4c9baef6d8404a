using Abathur.Compression;
using Microsoft.Win32.SafeHandles;

namespace Abathur.Sync.Cli;

/// <summary>Standard input and output as byte streams for pipelines.</summary>
internal static class StandardStreams
{
    /// <summary>The name of standard input and output on the command line.</summary>
    public const string Dash = "-";

    /// <summary>Standard output, buffered; throws <see cref="BrokenPipeException"/> when its reader has closed it.</summary>
    public static Stream OpenOutput()
    {
        return new BufferedStream(new PipeStream(OpenRawOutput()), 64 * 1024);
    }

    private static Stream OpenRawOutput()
    {
        if (!OperatingSystem.IsWindows())
        {
            // The stream of Console does not report that the reader of a pipe is gone. A file stream on a regular file would keep its own
            // position besides the one that this process shares with others.
            var pipe = new FileStream(new SafeFileHandle(1, ownsHandle: false), FileAccess.Write, bufferSize: 0);
            if (!pipe.CanSeek) return pipe;
        }
        return Console.OpenStandardOutput();
    }

    /// <summary>Standard input; a read that waits for data ends with <see cref="OperationCanceledException"/> when cancelled.</summary>
    /// <param name="onRead">Called with the number of bytes of each read.</param>
    /// <param name="cancellationToken">Ends a read.</param>
    public static Stream OpenInput(Action<int> onRead, CancellationToken cancellationToken) =>
        new CancellableInput(Console.OpenStandardInput(), onRead, cancellationToken);

    private sealed class PipeStream(Stream inner) : ForwardOnlyStream
    {
        // errno EPIPE; ERROR_BROKEN_PIPE and ERROR_NO_DATA.
        private const int Epipe = 32, BrokenPipe = unchecked((int)0x8007006D), NoData = unchecked((int)0x800700E8);

        public override bool CanWrite => true;

        public override void Write(ReadOnlySpan<byte> buffer)
        {
            try
            {
                inner.Write(buffer);
            }
            catch (IOException e) when (e.HResult is Epipe or BrokenPipe or NoData
                || e.Message.Contains("Broken pipe", StringComparison.Ordinal))
            {
                throw new BrokenPipeException(e);
            }
        }

        public override void Flush() => inner.Flush();
    }

    private sealed class CancellableInput(Stream inner, Action<int> onRead, CancellationToken cancellationToken) : ForwardOnlyStream
    {
        // A separate buffer: an abandoned read may still write to it.
        private readonly byte[] _buffer = new byte[256 * 1024];
        private int _start, _end;

        public override bool CanRead => true;

        public override int Read(Span<byte> buffer)
        {
            if (_start == _end)
            {
                var read = Task.Run(() => inner.Read(_buffer), CancellationToken.None);
                _start = 0;
                _end = read.WaitAsync(cancellationToken).GetAwaiter().GetResult();
                onRead(_end);
            }
            var count = Math.Min(buffer.Length, _end - _start);
            _buffer.AsSpan(_start, count).CopyTo(buffer);
            _start += count;
            return count;
        }
    }
}
