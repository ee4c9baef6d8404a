using Abathur.Sync.Access;
using FsCheck.Fluent;

namespace Abathur.Sync.Tests.Access;

public class AccessTokensTests
{
    private const string Act = "act-token-0123456789";
    private const string Watch = "watch-token-0123456789";

    [Theory]
    [InlineData(null, null, null, AccessLevel.Act)]
    [InlineData(null, null, "anything", AccessLevel.Act)]
    [InlineData(Act, null, null, AccessLevel.None)]
    [InlineData(Act, null, "", AccessLevel.None)]
    [InlineData(Act, null, Act, AccessLevel.Act)]
    [InlineData(Act, null, Act + " ", AccessLevel.None)]
    [InlineData(Act, Watch, Watch, AccessLevel.Watch)]
    [InlineData(Act, Watch, Act, AccessLevel.Act)]
    [InlineData(null, Watch, Act, AccessLevel.None)]
    [InlineData(null, Watch, Watch, AccessLevel.Watch)]
    public void LevelOf_Token_IsWhatItWasGivenFor(string? act, string? watch, string? shown, AccessLevel expected) =>
        Assert.Equal(expected, new AccessTokens(act, watch).LevelOf(shown));

    [Fact]
    public void LevelOf_AnyOtherText_IsNothing() => FsCheck.Check.One(FsCheck.Config.QuickThrowOnFailure, Prop.ForAll<string>(text =>
        Assert.Equal(text is Act or Watch, new AccessTokens(Act, Watch).LevelOf(text) != AccessLevel.None)));

    [Fact]
    public void WhereWatchersAct_OnlyTheRightOfWatchersChanges()
    {
        var tokens = new AccessTokens(Act, Watch).WhereWatchersAct();

        Assert.Equal(AccessLevel.Act, tokens.LevelOf(Watch));
        Assert.Equal(AccessLevel.Act, tokens.LevelOf(Act));
        Assert.Equal(AccessLevel.None, tokens.LevelOf("neither-0123456789"));
        Assert.True(tokens.AreNeeded);
        Assert.Equal(AccessLevel.Act, AccessTokens.None.WhereWatchersAct().LevelOf(null));
    }

    [Theory]
    [InlineData("Bearer abc", "abc")]
    [InlineData("bearer  abc ", "abc")]
    [InlineData("Basic abc", null)]
    [InlineData("Bearer", null)]
    [InlineData("", null)]
    [InlineData(null, null)]
    public void FromAuthorization_Header_IsItsTokenOrNull(string? header, string? expected) =>
        Assert.Equal(expected, AccessTokens.FromAuthorization(header));

    [Theory]
    [InlineData("0123456789abcde", false)]
    [InlineData("0123456789abcdef", true)]
    [InlineData("0123456789abcde ", false)]
    [InlineData("0123456789abcdé", false)]
    public void Problem_Text_IsATokenOrNone(string text, bool isToken) => Assert.Equal(isToken, AccessTokens.Problem(text) is null);
}
