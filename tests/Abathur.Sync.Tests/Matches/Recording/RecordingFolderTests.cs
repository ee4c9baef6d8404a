using Abathur.Sync.Matches.Recording;
using FsCheck.Fluent;

namespace Abathur.Sync.Tests.Matches.Recording;

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
    [InlineData("King's Cove LE.mcap")]
    [InlineData("\uc5d0\uc774\uc9c0.mcap")]
    [InlineData("\u30ac\u30e9 \u58eb\u5c45.mcap")]
    [InlineData("\u00e4\u00c9\u0142 \u0431\u044b\u0442\u044c \u05e9\u05dc\u05d5\u05dd \u0633\u0644\u0627\u0645.mcap")]
    // Marks that have no form with their letter: Hindi, Thai, Tamil, Tibetan.
    [InlineData("\u0939\u093f\u0928\u094d\u0926\u0940 \u0e01\u0e34\u0e19 \u0ba4\u0bbe \u0f56\u0f7c\u0f51.mcap")]
    [InlineData("\ud840\udc0b \u0661\u0662.mcap")]
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
    // The same letters in another form: a with a mark, parts of a syllable, kana with a sound mark, the sign of \u00c5ngstr\u00f6m.
    [InlineData("a\u0308.mcap")]
    [InlineData("\u110b\u1166\u110b\u1175.mcap")]
    [InlineData("\u304b\u3099.mcap")]
    [InlineData("\u212b.mcap")]
    [InlineData("\uf900.mcap")]
    [InlineData("\u09c7\u09be.mcap")]
    [InlineData("\u0939\u0958.mcap")]
    // Not letters: directions, joiners, spaces, full-width and other punctuation, lone surrogates, a mark at the start.
    [InlineData("a\u202eb.mcap")]
    [InlineData("a\u200db.mcap")]
    [InlineData("a\u00a0b.mcap")]
    [InlineData("a\uff0fb.mcap")]
    [InlineData("a\u2215b.mcap")]
    [InlineData("a\uff0e.mcap")]
    [InlineData("a\u2019b.mcap")]
    [InlineData("\ud83d\udc1d.mcap")]
    [InlineData("\u00bd.mcap")]
    [InlineData("\u093f.mcap")]
    [InlineData("a\ud840.mcap")]
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
        Assert.NotNull(_folder.TryResolve(new string('x', RecordingFolder.MaxNameBytes - 5) + ".mcap", out _));
        Assert.Null(_folder.TryResolve(new string('x', RecordingFolder.MaxNameBytes - 4) + ".mcap", out _));
        Assert.NotNull(_folder.TryResolve(new string('\uc5d0', 65) + ".mcap", out _));
        Assert.Null(_folder.TryResolve(new string('\uc5d0', 66) + ".mcap", out _));
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
    public void ToName_WhateverTheText_IsAllowed() =>
        FsCheck.Check.One(
            FsCheck.Config.QuickThrowOnFailure.WithMaxTest(Runs.Of(2000)),
            Prop.ForAll(Names().ToArbitrary(), text => _folder.TryResolve(RecordingFolder.ToName(text), out _) is not null));

    [Theory]
    [InlineData(".")]
    [InlineData("nul.")]
    [InlineData(" ")]
    public void ToName_OfALongTextThatGetsMoreInFront_IsAllowed(string start) =>
        Assert.NotNull(_folder.TryResolve(RecordingFolder.ToName(start + new string('x', 2 * RecordingFolder.MaxNameBytes)), out _));

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
        Assert.Equal(["in.mcap", "inside.mcap"], _folder.List(out var others).Select(file => file.Name));
        Assert.Equal(5, others);
    }

    [Fact]
    public void List_NamesThatAreNotAllowed_AreCounted()
    {
        foreach (var name in new[] { "King's Cove LE.mcap", "\uc5d0.mcap", "a+b.mcap", "a\u0308.mcap", "notes.txt", "a.mcap.part" })
            File.WriteAllText(Path.Combine(_folder.FullPath, name), "x");
        Assert.Equal(["King's Cove LE.mcap", "\uc5d0.mcap"], _folder.List(out var others).Select(file => file.Name));
        Assert.Equal(2, others);
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
            "\u0308", "\uc5d0", "'", "\u202e", "_", "-",
        };
        return Gen.ListOf(Gen.Elements(pieces)).Select(chosen => string.Concat(chosen));
    }
}
