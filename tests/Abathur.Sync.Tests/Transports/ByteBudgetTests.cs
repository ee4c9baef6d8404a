using Abathur.Sync.Transports;

namespace Abathur.Sync.Tests.Transports;

public sealed class ByteBudgetTests
{
    [Fact]
    public void TryReserve_FromManyThreads_RefusesNoneForWhichThereIsRoom()
    {
        const int Bytes = 10, Fit = 7;
        for (var round = 0; round < 2_000; round++)
        {
            var budget = new ByteBudget((Fit * Bytes) + (Bytes / 2));
            var taken = 0;
            Parallel.For(0, 16, _ =>
            {
                if (budget.TryReserve(Bytes)) Interlocked.Increment(ref taken);
            });
            Assert.Equal(Fit, taken);
            Assert.Equal(Fit * Bytes, budget.HeldBytes);
        }
    }

    [Fact]
    public void TryReserve_ParentHasNoRoom_TakesNothing()
    {
        var parent = new ByteBudget(10);
        var budget = new ByteBudget(20, parent);
        Assert.True(budget.TryReserve(8));
        Assert.False(budget.TryReserve(3));
        Assert.Equal((8, 8), (budget.HeldBytes, parent.HeldBytes));
        Assert.True(new ByteBudget(20, parent).TryReserve(2));
        budget.Release(8);
        Assert.Equal((0, 2), (budget.HeldBytes, parent.HeldBytes));
    }
}
