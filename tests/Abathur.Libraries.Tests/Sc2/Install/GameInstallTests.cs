using Abathur.Sc2.Install;

namespace Abathur.Sc2.Tests.Install;

public sealed class GameInstallTests : IDisposable
{
    private readonly string _folder = Directory.CreateTempSubdirectory("abathur-install-").FullName;

    public void Dispose() => Directory.Delete(_folder, recursive: true);

    [Fact]
    public void Find_Sc2Path_TakesTheNewestVersion()
    {
        Install("a", "Base75689", "Base9999", "Base93333", "BaseX");
        var found = GameInstall.Find(Root("a"), Places("SC2_x64", "Support64"));
        Assert.Equal(Path.Combine(Root("a"), "Versions", "Base93333", "SC2_x64"), found.Executable);
        Assert.Equal(Path.Combine(Root("a"), "Support64"), found.WorkingFolder);
        Assert.Equal(Root("a"), found.Root);
    }

    [Fact]
    public void Find_VersionWithoutTheProgram_IsLeftOut()
    {
        Install("a", "Base75689");
        Directory.CreateDirectory(Path.Combine(Root("a"), "Versions", "Base99999"));
        Assert.Contains("Base75689", GameInstall.Find(Root("a"), Places("SC2_x64", "")).Executable, StringComparison.Ordinal);
    }

    [Fact]
    public void Find_Sc2PathWithoutTheGame_SaysWhatIsMissing()
    {
        Install("usual", "Base75689");
        var e = Assert.Throws<GameException>(() => GameInstall.Find(Root("nowhere"), Places("SC2_x64", "", roots: "usual")));
        Assert.StartsWith($"SC2PATH is {Root("nowhere")}, which has no ", e.Message, StringComparison.Ordinal);
    }

    [Theory]
    [InlineData("executable = ROOT/Versions/Base75689/SC2_x64")]
    [InlineData("other = 1\nexecutable=ROOT/Versions/Base75689/SC2_x64\n")]
    [InlineData("executable = ROOT\\Versions\\Base75689\\SC2_x64.exe")]
    public void Find_NoteOfTheLastStart_ComesBeforeTheUsualPlaces(string note)
    {
        Install("noted", "Base75689");
        Install("usual", "Base99999");
        var file = Path.Combine(_folder, "ExecuteInfo.txt");
        File.WriteAllText(file, note.Replace("ROOT", Root("noted"), StringComparison.Ordinal));
        var found = GameInstall.Find(null, Places("SC2_x64", "", file, "usual"));
        Assert.Equal(Root("noted"), found.Root);
    }

    [Theory]
    [InlineData("")]
    [InlineData("executable = nonsense")]
    [InlineData("executable = /gone/Versions/Base1/SC2")]
    public void Find_NoteThatHelpsNothing_GoesOnToTheUsualPlaces(string note)
    {
        Install("usual", "Base75689");
        var file = Path.Combine(_folder, "ExecuteInfo.txt");
        File.WriteAllText(file, note);
        Assert.Equal(Root("usual"), GameInstall.Find("", Places("SC2_x64", "", file, "usual")).Root);
    }

    [Fact]
    public void Find_Nowhere_NamesAllPlacesAndWhatToDo()
    {
        var e = Assert.Throws<GameException>(() => GameInstall.Find(null, Places("SC2_x64", "", null, "one", "two")));
        Assert.Contains(Root("one"), e.Message, StringComparison.Ordinal);
        Assert.Contains(Root("two"), e.Message, StringComparison.Ordinal);
        Assert.Contains("SC2PATH", e.Message, StringComparison.Ordinal);
    }

    private string Root(string name) => Path.Combine(_folder, name);

    private GamePlaces Places(string executable, string workingFolder, string? executeInfo = null, params string[] roots) =>
        new([.. roots.Select(Root)], executeInfo, executable, workingFolder);

    private void Install(string name, params string[] versions)
    {
        foreach (var version in versions)
        {
            var folder = Path.Combine(Root(name), "Versions", version);
            Directory.CreateDirectory(folder);
            File.WriteAllText(Path.Combine(folder, "SC2_x64"), "");
        }
    }
}
