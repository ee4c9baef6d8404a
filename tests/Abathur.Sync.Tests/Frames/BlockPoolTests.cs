using Abathur.Sync.Frames;

namespace Abathur.Sync.Tests.Frames;

public sealed class BlockPoolTests
{
    private readonly BlockPool _pool = new();

    [Theory]
    [InlineData(0, 4096)]
    [InlineData(4096, 4096)]
    [InlineData(4097, 8192)]
    [InlineData(60_000, 65_536)]
    [InlineData(BlockPool.MaxBytes, BlockPool.MaxBytes)]
    [InlineData(BlockPool.MaxBytes + 1, BlockPool.MaxBytes + 1)]
    public void Rent_AnySize_GivesTheNextBlock(int bytes, int expected) => Assert.Equal(expected, _pool.Rent(bytes).Bytes.Length);

    [Fact]
    public void Rent_AfterDispose_GivesTheSameBlock()
    {
        var first = _pool.Rent(5000);
        first.Dispose();
        Assert.NotSame(first, _pool.Rent(4000));
        Assert.Same(first, _pool.Rent(8000));
    }

    [Fact]
    public void Dispose_OfABlockThatIsTooLarge_KeepsNothing()
    {
        var first = _pool.Rent(BlockPool.MaxBytes + 1);
        first.Dispose();
        Assert.NotSame(first, _pool.Rent(BlockPool.MaxBytes + 1));
    }

    [Fact]
    public void Trim_BlocksUnusedSinceTheLastTime_AreLetGo()
    {
        var first = Use(10);
        // All ten were in use since the pool was made.
        Assert.Equal(0, _pool.Trim());
        Use(2);
        Assert.Equal(8 * BlockPool.MinBytes, _pool.Trim());
        Assert.Equal(2, Use(10).Count(first.Contains));
    }

    private List<BlockPool.Block> Use(int count)
    {
        var blocks = Enumerable.Range(0, count).Select(_ => _pool.Rent(BlockPool.MinBytes)).ToList();
        foreach (var block in blocks) block.Dispose();
        return blocks;
    }
}
