using Abathur.Sync.Access;
using Abathur.Sync.Requests;
using Abathur.Sync.Transports;

namespace Abathur.Sync.Tests.Transports;

public class AnswerBudgetTests
{
    private const long Half = AnswerBudget.MaxBytes / 2;
    private readonly ManualClock _clock = new();
    private readonly AnswerBudget _budget;

    public AnswerBudgetTests() => _budget = new AnswerBudget(_clock);

    [Fact]
    public void Take_SmallAnswers_DoNotCount()
    {
        for (var i = 0; i < 10_000; i++) Assert.Null(Take(AccessLevel.Watch, AnswerBudget.FreeBytes));
        Assert.Equal(0, _budget.HeldBytes);
    }

    [Fact]
    public void Take_MoreThanThereIs_IsRefusedUntilOneIsGivenBack()
    {
        var first = Take(AccessLevel.Watch, Half)!;
        Assert.NotNull(Take(AccessLevel.Watch, Half));
        var refusal = Assert.Throws<RefusedException>(() => Take(AccessLevel.Watch, AnswerBudget.FreeBytes + 1));
        Assert.Equal(RequestStatus.ResourceExhausted, refusal.Status);
        Assert.StartsWith("the answer has 16385 bytes, and more than 33554432 bytes of answers wait", refusal.Message);
        first.Dispose();
        first.Dispose();
        Assert.Equal(Half, _budget.HeldBytes);
        Assert.NotNull(Take(AccessLevel.Watch, Half));
    }

    [Fact]
    public void Take_ThoseThatWatchHoldAll_OthersAreAnswered()
    {
        Assert.NotNull(Take(AccessLevel.Watch, AnswerBudget.MaxBytes));
        Assert.NotNull(Take(AccessLevel.Act, AnswerBudget.MaxBytes));
        Assert.Throws<RefusedException>(() => Take(AccessLevel.Act, Half));
    }

    [Fact]
    public void Take_IsNotTakenInTime_EndsTheConnection()
    {
        var (kept, sent) = (0, 0);
        using var slow = _budget.Take(AccessLevel.Watch, Half, () => kept++);
        _budget.Take(AccessLevel.Watch, Half, () => sent++)!.Dispose();
        _clock.Advance(AnswerBudget.TakeTimeout - TimeSpan.FromMilliseconds(1));
        Assert.Equal(0, kept);
        _clock.Advance(TimeSpan.FromMilliseconds(1));
        Assert.Equal((1, 0), (kept, sent));
        // It is given back by the connection's end, not by the clock.
        Assert.Equal(Half, _budget.HeldBytes);
    }

    [Fact]
    public void RequireRoom_AsTake_RefusesAnAnswerThatIsNotMadeYet()
    {
        _budget.RequireRoom(AccessLevel.Watch, AnswerBudget.MaxBytes);
        Assert.NotNull(Take(AccessLevel.Watch, Half));
        _budget.RequireRoom(AccessLevel.Watch, Half);
        var refusal = Assert.Throws<RefusedException>(() => _budget.RequireRoom(AccessLevel.Watch, Half + 1));
        Assert.Equal(RequestStatus.ResourceExhausted, refusal.Status);
        Assert.StartsWith("the answer has at least 16777217 bytes, and more than 33554432 bytes of answers wait", refusal.Message);
        Assert.NotNull(Take(AccessLevel.Watch, Half));
        _budget.RequireRoom(AccessLevel.Watch, AnswerBudget.FreeBytes);
        _budget.RequireRoom(AccessLevel.Act, AnswerBudget.MaxBytes);
    }

    private IDisposable? Take(AccessLevel level, long bytes) => _budget.Take(level, bytes, () => Assert.Fail("not overdue"));
}
