using Abathur.Compression;
using Abathur.Sync.Sources.Proxy;

namespace Abathur.Sync.Hosting.Emulator;

/// <summary>
/// Reads a client's WebSocket frames, and turns the opcode of each text frame (1) into that of a binary frame (2). The game does not
/// distinguish
/// them: some clients (pysc2) send serialized requests in text frames, which are not valid UTF-8. Nothing else is changed.
/// </summary>
/// <param name="inner">The connection behind the handshake. It is disposed with this stream.</param>
internal sealed class TextAsBinaryStream(Stream inner) : ForwardOnlyStream
{
    private const byte OpcodeMask = 0x0f;
    private const byte Text = 1;
    private const byte Binary = 2;

    private WebSocketFrameParser _parser = new();

    public override bool CanRead => true;

    public override bool CanWrite => true;

    public override async ValueTask<int> ReadAsync(Memory<byte> buffer, CancellationToken cancellationToken = default)
    {
        var count = await inner.ReadAsync(buffer, cancellationToken);
        Rewrite(buffer.Span[..count]);
        return count;
    }

    public override int Read(Span<byte> buffer)
    {
        var count = inner.Read(buffer);
        Rewrite(buffer[..count]);
        return count;
    }

    public override ValueTask WriteAsync(ReadOnlyMemory<byte> buffer, CancellationToken cancellationToken = default) =>
        inner.WriteAsync(buffer, cancellationToken);

    public override void Write(ReadOnlySpan<byte> buffer) => inner.Write(buffer);

    public override Task FlushAsync(CancellationToken cancellationToken) => inner.FlushAsync(cancellationToken);

    public override void Flush() => inner.Flush();

    protected override void Dispose(bool disposing)
    {
        if (disposing) inner.Dispose();
        base.Dispose(disposing);
    }

    private void Rewrite(Span<byte> chunk)
    {
        var position = 0;
        while (_parser.TryNext(chunk, ref position, out var part))
        {
            // A part that opens a message begins with the first byte of a frame.
            if (part.Opens && (chunk[part.Start] & OpcodeMask) == Text)
                chunk[part.Start] = (byte)((chunk[part.Start] & ~OpcodeMask) | Binary);
        }
    }
}
