namespace Abathur.Testing;

/// <summary>A file on a disk that answers no write until it is told to.</summary>
public sealed class HangingStream(Stream inner) : Stream
{
    private readonly ManualResetEventSlim _answers = new();

    public override bool CanRead => false;

    public override bool CanSeek => true;

    public override bool CanWrite => true;

    public override long Length => inner.Length;

    public override long Position { get => inner.Position; set => inner.Position = value; }

    public void Answer() => _answers.Set();

    public override void Write(ReadOnlySpan<byte> buffer)
    {
        _answers.Wait();
        inner.Write(buffer);
    }

    public override void Write(byte[] buffer, int offset, int count) => Write(buffer.AsSpan(offset, count));

    public override void SetLength(long value) => inner.SetLength(value);

    public override void Flush() => inner.Flush();

    public override int Read(byte[] buffer, int offset, int count) => throw new NotSupportedException();

    public override long Seek(long offset, SeekOrigin origin) => inner.Seek(offset, origin);
}
