using Abathur.Recordings.Files;

namespace Abathur.Recordings.Tests;

/// <summary>A file that another program truncates while it is written is never taken for a complete one.</summary>
public sealed class TruncatedOutputTests : IDisposable
{
    private readonly TemporaryFolder _folder = new();

    private string Place => _folder.PathTo("out.bin");

    public void Dispose() => _folder.Dispose();

    [Theory]
    [InlineData(0)]
    [InlineData(64)]
    public void Commit_AfterTruncation_FailsAndLeavesNoFile(int bufferBytes)
    {
        using (var file = new OutputFile(Place, new OutputOptions { BufferBytes = bufferBytes }))
        {
            file.Stream.Write(new byte[1000]);
            file.Stream.Flush();
            Truncate(999);
            var e = Assert.Throws<IOException>(file.Commit);
            Assert.Contains("another program has truncated", e.Message, StringComparison.Ordinal);
            Assert.True(file.IsTruncated);
        }
        Assert.False(File.Exists(Place));
        Assert.False(File.Exists(Place + ".part"));
    }

    [Theory]
    [InlineData(0)]
    [InlineData(64)]
    public void Write_AfterTruncation_Fails(int bufferBytes)
    {
        using var file = new OutputFile(Place, new OutputOptions { BufferBytes = bufferBytes });
        file.Stream.Write(new byte[1000]);
        file.Stream.Flush();
        Truncate(0);
        Assert.Throws<IOException>(() => file.Stream.Write(new byte[1000]));
    }

    [Fact]
    public void Commit_AfterTheWriterItselfMadeItShorter_KeepsTheRest()
    {
        using var file = new OutputFile(Place);
        file.Stream.Write(new byte[1000]);
        file.Stream.SetLength(10);
        file.Stream.Position = 10;
        file.Stream.Write(new byte[5]);
        file.Commit();
        Assert.Equal(15, new FileInfo(Place).Length);
    }

    private void Truncate(int bytes)
    {
        using var other = new FileStream(Place + ".part", FileMode.Open, FileAccess.Write, FileShare.ReadWrite | FileShare.Delete);
        other.SetLength(bytes);
    }
}
