using Abathur.Sync.Requests;
using Abathur.Sync.Sources.Feed;
using Abathur.Sync.V1;
using SC2APIProtocol;
using Action = SC2APIProtocol.Action;

namespace Abathur.Sync.Tests.Sources.Feed;

public class ActionQueueTests
{
    private readonly ManualClock _clock = new();
    private readonly ActionQueue _queue;

    public ActionQueueTests() => _queue = new ActionQueue(_clock);

    [Fact]
    public async Task ActAsync_TakenAndAnswered_IsCounted()
    {
        var arrived = 0;
        _queue.Arrived = () => arrived++;
        var acting = _queue.ActAsync(Request(gameLoop: 10, actions: 3), CancellationToken.None);
        Assert.Equal((1, true), (arrived, _queue.AnyWaiting));
        Assert.True(_queue.TryTake(14, out var actions));
        Assert.Equal(3, actions.ToRequestAction().Actions.Count);
        Assert.False(acting.IsCompleted);
        actions.Complete(new ResponseAction { Result = { ActionResult.Success, ActionResult.NotSupported, ActionResult.Success } });
        var result = await acting;
        Assert.Equal((14u, 4u, 3), (result.GameLoop, result.LateGameLoops, result.Response.Result.Count));
        Assert.Equal(new ActionStatus { Given = 3, Late = 3, Failed = 1 }, _queue.Status);
        Assert.False(_queue.TryTake(15, out _));
    }

    [Fact]
    public async Task TryTake_TooLate_IsRefusedAndTheNextIsTaken()
    {
        var late = _queue.ActAsync(Request(gameLoop: 10, maxLate: 3), CancellationToken.None);
        var inTime = _queue.ActAsync(Request(gameLoop: 11, maxLate: 3), CancellationToken.None);
        Assert.True(_queue.TryTake(14, out var actions));
        Assert.Equal(11u, actions.Request.GameLoop);
        var error = await Assert.ThrowsAsync<RefusedException>(() => late);
        Assert.Equal(RequestStatus.OutOfRange, error.Status);
        Assert.Contains("4 loops late, 3 are allowed", error.Message, StringComparison.Ordinal);
        Assert.Equal((1ul, 1ul), (_queue.Status.Refused, _queue.Status.Late));
        Assert.False(inTime.IsCompleted);
    }

    [Fact]
    public async Task ActAsync_Full_IsRefused()
    {
        for (var i = 0; i < ActionQueue.MaxWaiting; i++) _ = _queue.ActAsync(Request(), CancellationToken.None);
        var error = await Assert.ThrowsAsync<RefusedException>(() => _queue.ActAsync(Request(actions: 2), CancellationToken.None));
        Assert.Equal((RequestStatus.ResourceExhausted, 2ul), (error.Status, _queue.Status.Refused));
        Assert.True(_queue.TryTake(0, out _));
        _ = _queue.ActAsync(Request(), CancellationToken.None);
        Assert.Equal(2ul, _queue.Status.Refused);
    }

    [Theory]
    [InlineData(0)]
    [InlineData(ActionQueue.MaxActions + 1)]
    public async Task ActAsync_NoneOrTooMany_IsRefused(int actions)
    {
        var error = await Assert.ThrowsAsync<RefusedException>(() => _queue.ActAsync(Request(actions: actions), CancellationToken.None));
        Assert.Equal(RequestStatus.InvalidArgument, error.Status);
        Assert.False(_queue.AnyWaiting);
    }

    [Fact]
    public async Task ActAsync_GivenUp_IsNotTaken()
    {
        using var leaving = new CancellationTokenSource();
        var acting = _queue.ActAsync(Request(), leaving.Token);
        await leaving.CancelAsync();
        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => acting);
        Assert.False(_queue.TryTake(0, out _));
        Assert.Equal(new ActionStatus(), _queue.Status);
    }

    [Fact]
    public async Task ActAsync_NoAnswer_TimesOut()
    {
        var acting = _queue.ActAsync(Request(), CancellationToken.None);
        Assert.True(_queue.TryTake(0, out var actions));
        _clock.Advance(ActionQueue.AnswerTimeout);
        var error = await Assert.ThrowsAsync<RefusedException>(() => acting);
        Assert.Equal(RequestStatus.DeadlineExceeded, error.Status);
        // A late answer has no effect.
        actions.Complete(new ResponseAction());
    }

    [Fact]
    public async Task Close_WhatWaitsAndWhatComes_IsRefused()
    {
        var waiting = _queue.ActAsync(Request(), CancellationToken.None);
        _queue.Close();
        foreach (var acting in new[] { waiting, _queue.ActAsync(Request(), CancellationToken.None) })
        {
            var error = await Assert.ThrowsAsync<RefusedException>(() => acting);
            Assert.Equal(RequestStatus.FailedPrecondition, error.Status);
        }
        Assert.Equal(2ul, _queue.Status.Refused);
    }

    private static ActRequest Request(uint gameLoop = 0, int actions = 1, uint maxLate = 0)
    {
        var request = new ActRequest { GameLoop = gameLoop, MaxLateGameLoops = maxLate };
        for (var i = 0; i < actions; i++) request.Actions.Add(new Action());
        return request;
    }
}
