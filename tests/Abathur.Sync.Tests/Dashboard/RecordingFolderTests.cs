using Abathur.Sync.Dashboard;
using FsCheck.Fluent;

namespace Abathur.Sync.Tests.Dashboard;

public sealed class RecordingFolderTests : IDisposable
{
    private readonly TemporaryFolder _temporary = new();
    private readonly RecordingFolder _folder;

    public RecordingFolderTests()
    {
        Directory.CreateDirectory(_temporary.PathTo("in"));
        _folder = new RecordingFolder(_temporary.PathTo("in"));
    }

    public void Dispose() => _temporary.Dispose();

    [Theory]
    [InlineData("a.mcap")]
    [InlineData("My match (2), game 1.mcap", false)]
    [InlineData("My match (2)_final-1.2.MCAP")]
    [InlineData("CONSOLE.mcap")]
    [InlineData("a.con.mcap")]
    public void TryResolve_BareNames_AreInTheFolder(string name, bool isGood = true)
    {
        Assert.Equal(isGood ? Path.Combine(_folder.FullPath, name) : null, _folder.TryResolve(name, out var problem));
        Assert.Equal(isGood, problem.Length == 0);
    }

    [Theory]
    [InlineData("")]
    [InlineData(".")]
    [InlineData("..")]
    [InlineData(".mcap")]
    [InlineData(".a.mcap")]
    [InlineData(" a.mcap")]
    [InlineData("a.mcap ")]
    [InlineData("a.mcap.")]
    [InlineData("a..mcap")]
    [InlineData("../a.mcap")]
    [InlineData("..\\a.mcap")]
    [InlineData("/a.mcap")]
    [InlineData("\\\\host\\share\\a.mcap")]
    [InlineData("//host/a.mcap")]
    [InlineData("C:a.mcap")]
    [InlineData("C:\\a.mcap")]
    [InlineData("a.mcap:stream.mcap")]
    [InlineData("%2e%2e%2fa.mcap")]
    [InlineData("a\0.mcap")]
    [InlineData("a\n.mcap")]
    [InlineData("ä.mcap")]
    [InlineData("a.mcap.exe")]
    [InlineData("a.txt")]
    [InlineData("CON.mcap")]
    [InlineData("con.x.mcap")]
    [InlineData("PRN .mcap")]
    [InlineData("aux.mcap")]
    [InlineData("NUL.MCAP")]
    [InlineData("COM1.mcap")]
    [InlineData("lpt0.mcap")]
    [InlineData("~/a.mcap")]
    [InlineData("$HOME.mcap")]
    public void TryResolve_AnythingElse_IsRefusedWithTheReason(string name)
    {
        Assert.Null(_folder.TryResolve(name, out var problem));
        Assert.NotEqual("", problem);
    }

    [Fact]
    public void TryResolve_LongNames_AreRefused()
    {
        Assert.NotNull(_folder.TryResolve(new string('x', RecordingFolder.MaxNameLength - 5) + ".mcap", out _));
        Assert.Null(_folder.TryResolve(new string('x', RecordingFolder.MaxNameLength - 4) + ".mcap", out _));
    }

    [Fact]
    public void TryResolve_WhateverTheName_StaysInTheFolder() =>
        FsCheck.Check.One(FsCheck.Config.QuickThrowOnFailure.WithMaxTest(Runs.Of(2000)), Prop.ForAll(Names().ToArbitrary(), name =>
        {
            var file = _folder.TryResolve(name, out var problem);
            if (file is null) return problem.Length > 0;
            return problem.Length == 0 && file == Path.Combine(_folder.FullPath, name) && Path.GetDirectoryName(file) == _folder.FullPath;
        }));

    [Fact]
    public void TryResolve_Links_MayNotLeadOut()
    {
        if (OperatingSystem.IsWindows()) return;
        File.WriteAllText(_temporary.PathTo("outside.mcap"), "x");
        File.WriteAllText(Path.Combine(_folder.FullPath, "inside.mcap"), "x");
        Link("out", _temporary.PathTo("outside.mcap"));
        Link("relative", "../outside.mcap");
        Link("nowhere", _temporary.PathTo("not there.mcap"));
        Link("ring", Path.Combine(_folder.FullPath, "ring.mcap"));
        Link("twice", Path.Combine(_folder.FullPath, "out.mcap"));
        Link("in", "inside.mcap");
        foreach (var name in new[] { "out", "relative", "nowhere", "ring", "twice" })
            Assert.Null(_folder.TryResolve($"{name}.mcap", out _));
        Assert.NotNull(_folder.TryResolve("in.mcap", out _));
        Assert.Equal(["in.mcap", "inside.mcap"], _folder.List().Select(file => file.Name));
    }

    [Fact]
    public void TryResolve_FolderIsALink_IsTheFolderBehindIt()
    {
        if (OperatingSystem.IsWindows()) return;
        Directory.CreateSymbolicLink(_temporary.PathTo("link"), _folder.FullPath);
        var linked = new RecordingFolder(_temporary.PathTo("link"));
        Assert.Equal(_folder.FullPath, linked.FullPath);
        Assert.Equal(Path.Combine(_folder.FullPath, "a.mcap"), linked.TryResolve("a.mcap", out _));
    }

    [Fact]
    public void TryResolve_AFolder_IsRefused()
    {
        Directory.CreateDirectory(Path.Combine(_folder.FullPath, "folder.mcap"));
        Assert.Null(_folder.TryResolve("folder.mcap", out var problem));
        Assert.Equal("this is a folder", problem);
    }

    private void Link(string name, string target) => File.CreateSymbolicLink(Path.Combine(_folder.FullPath, $"{name}.mcap"), target);

    /// <summary>Names of pieces that mean something to some system.</summary>
    private static FsCheck.Gen<string> Names()
    {
        var pieces = new[]
        {
            "..", ".", "/", "\\", ":", "a", "B", "CON", "nul", "com1", ".mcap", ".MCAP", " ", "(", "%2e", "%5c", "\0", "~", "C:", "ü",
            "\u202e", "_", "-",
        };
        return Gen.ListOf(Gen.Elements(pieces)).Select(chosen => string.Concat(chosen));
    }
}
