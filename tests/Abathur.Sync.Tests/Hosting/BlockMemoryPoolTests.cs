using System.Buffers;
using Abathur.Sync.Hosting;

namespace Abathur.Sync.Tests.Hosting;

public sealed class BlockMemoryPoolTests
{
    private readonly SettableClock _clock = new();

    [Fact]
    public void Rent_AfterReturn_GivesTheSameBlock()
    {
        using var pool = new BlockMemoryPool(_clock);
        var first = pool.Rent(4096);
        first.Dispose();
        Assert.Same(first, pool.Rent());
        Assert.Equal(BlockMemoryPool.BlockBytes, first.Memory.Length);
    }

    [Fact]
    public void Rent_MoreThanABlock_Throws()
    {
        using var pool = new BlockMemoryPool(_clock);
        Assert.Throws<ArgumentOutOfRangeException>(() => pool.Rent(BlockMemoryPool.BlockBytes + 1));
    }

    [Fact]
    public void Return_BlocksUnusedForAPeriod_AreLetGo()
    {
        using var pool = new BlockMemoryPool(_clock);
        var first = Use(pool, 10);
        _clock.Now += BlockMemoryPool.Period;
        // Ends the period in which all ten were in use, and begins one in which two are.
        Use(pool, 2);
        _clock.Now += BlockMemoryPool.Period;
        Use(pool, 2);
        Assert.Equal(2, Use(pool, 10).Count(first.Contains));
    }

    private static List<IMemoryOwner<byte>> Use(BlockMemoryPool pool, int count)
    {
        var blocks = Enumerable.Range(0, count).Select(_ => pool.Rent()).ToList();
        foreach (var block in blocks) block.Dispose();
        return blocks;
    }

    private sealed class SettableClock : TimeProvider
    {
        public TimeSpan Now { get; set; }

        public override long TimestampFrequency => TimeSpan.TicksPerSecond;

        public override long GetTimestamp() => Now.Ticks;
    }
}
