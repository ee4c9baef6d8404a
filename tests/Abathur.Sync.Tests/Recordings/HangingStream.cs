namespace Abathur.Sync.Tests.Recordings;

/// <summary>A file on a disk that answers no write until it is told to.</summary>
internal sealed class HangingStream(string path) : FileStream(path, FileMode.Create, FileAccess.Write, FileShare.Read, bufferSize: 0)
{
    private readonly ManualResetEventSlim _answers = new();

    public void Answer() => _answers.Set();

    public override void Write(ReadOnlySpan<byte> buffer)
    {
        _answers.Wait();
        base.Write(buffer);
    }
}
