namespace Abathur.Sc2.Tests;

public class GameTimeTests
{
    [Fact]
    public void ToGameLoop_TimeOfALoop_GivesTheLoop()
    {
        for (uint loop = 0; loop <= 1_000_000; loop++)
        {
            if (GameTime.ToGameLoop(GameTime.ToNanoseconds(loop)) != loop) Assert.Fail($"loop {loop}");
        }
        for (var loop = uint.MaxValue; loop > uint.MaxValue - 1000; loop--)
            Assert.Equal(loop, GameTime.ToGameLoop(GameTime.ToNanoseconds(loop)));
        Assert.Equal(uint.MaxValue, GameTime.ToGameLoop(ulong.MaxValue));
    }

    [Fact]
    public void ToNanoseconds_KnownLoops_IsExact()
    {
        Assert.Equal(0ul, GameTime.ToNanoseconds(0));
        Assert.Equal(44_642_857ul, GameTime.ToNanoseconds(1));
        Assert.Equal(10_000_000_000ul, GameTime.ToNanoseconds(224));
    }
}
