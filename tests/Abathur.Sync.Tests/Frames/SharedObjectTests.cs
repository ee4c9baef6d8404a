using Abathur.Sync.Frames;

namespace Abathur.Sync.Tests.Frames;

public class SharedObjectTests
{
    [Fact]
    public void Release_OfTheLastReference_ReturnsItOnce()
    {
        var shared = new Counted();
        shared.Retain();
        shared.Release();
        Assert.Equal(0, shared.Returned);
        shared.Release();
        Assert.Equal(1, shared.Returned);
    }

    [Fact]
    public void Release_OnceTooOften_IsAnError()
    {
        var shared = new Counted();
        shared.Release();
        Assert.Equal("the Counted was released already", Assert.Throws<InvalidOperationException>(shared.Release).Message);
        Assert.Equal(1, shared.Returned);
    }

    [Fact]
    public void Retain_AfterTheLastReference_IsAnError()
    {
        var shared = new Counted();
        shared.Release();
        Assert.Throws<InvalidOperationException>(shared.Retain);
    }

    /// <summary>In no pool: one that were released too often would be another test's by then.</summary>
    private sealed class Counted : SharedObject
    {
        public Counted() => SetRented();

        public int Returned { get; private set; }

        protected override void OnReleased() => Returned++;
    }
}
