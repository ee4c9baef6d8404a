using Abathur.Sync.Hosting;
using FsCheck.Fluent;

namespace Abathur.Sync.Tests.Hosting;

public sealed class CommandLineTests
{
    [Theory]
    [InlineData("python my_agent.py", "python", "my_agent.py")]
    [InlineData("  python\t my_agent.py  ", "python", "my_agent.py")]
    [InlineData(
        @"""C:\Program Files\Python\python.exe"" ""my agent.py"" --name 'a b'",
        @"C:\Program Files\Python\python.exe", "my agent.py", "--name", "a b")]
    [InlineData(@"C:\bots\agent.exe \\server\share", @"C:\bots\agent.exe", @"\\server\share")]
    [InlineData(@"python -c ""print('hi')""", "python", "-c", "print('hi')")]
    [InlineData(@"python -c 'print(""hi"")'", "python", "-c", @"print(""hi"")")]
    [InlineData(@"say \""hi\""", "say", @"""hi""")]
    [InlineData(@"a """" b", "a", "", "b")]
    [InlineData("a b'c d'e", "a", "bc de")]
    public void Split_Words_AsAPersonMeansThem(string text, params string[] words) => Assert.Equal(words, CommandLine.Split(text));

    [Theory]
    [InlineData("")]
    [InlineData("  ")]
    [InlineData("\"\" x")]
    [InlineData("'a")]
    [InlineData("a \"b")]
    public void Split_NoCommand_IsRefused(string text) => Assert.Throws<AgentException>(() => CommandLine.Split(text));

    [Fact]
    public void Split_QuotedWords_ComeBack() => FsCheck.Check.One(FsCheck.Config.QuickThrowOnFailure, Prop.ForAll<string[]>(words =>
    {
        // A backslash before the closing mark would escape it; no program's name or argument needs that.
        string[] usable = ["program", .. words.OfType<string>().Select(word => word.Replace("\\", "/", StringComparison.Ordinal))];
        var line = string.Join(' ', usable.Select(word => $"\"{word.Replace("\"", "\\\"", StringComparison.Ordinal)}\""));
        return CommandLine.Split(line).SequenceEqual(usable);
    }));
}
