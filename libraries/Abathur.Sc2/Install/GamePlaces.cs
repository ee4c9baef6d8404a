namespace Abathur.Sc2.Install;

/// <summary>The folders and file names of the game on a system.</summary>
/// <param name="Roots">Folders in which to look for the game, the most likely first.</param>
/// <param name="ExecuteInfo">The file in which the game records where it was last started, or null.</param>
/// <param name="Executable">Path of the program inside a <c>Versions/BaseNNNNN</c> folder.</param>
/// <param name="WorkingFolder">The folder below the root in which it must be started; empty for any.</param>
public sealed record GamePlaces(IReadOnlyList<string> Roots, string? ExecuteInfo, string Executable, string WorkingFolder)
{
    /// <summary>The folders of this system.</summary>
    public static GamePlaces OfThisSystem()
    {
        // Without the option, the path of a folder that does not exist is empty, and the game would be looked for in the working folder.
        var home = Environment.GetFolderPath(Environment.SpecialFolder.UserProfile, Environment.SpecialFolderOption.DoNotVerify);
        if (OperatingSystem.IsWindows())
        {
            var documents = Environment.GetFolderPath(
                Environment.SpecialFolder.MyDocuments, Environment.SpecialFolderOption.DoNotVerify);
            return new(
                [@"C:\Program Files (x86)\StarCraft II", @"C:\Program Files\StarCraft II"],
                Path.Combine(documents, "StarCraft II", "ExecuteInfo.txt"),
                "SC2_x64.exe",
                "Support64");
        }
        if (OperatingSystem.IsMacOS())
        {
            return new(
                ["/Applications/StarCraft II"],
                Path.Combine(home, "Library", "Application Support", "Blizzard", "StarCraft II", "ExecuteInfo.txt"),
                Path.Combine("SC2.app", "Contents", "MacOS", "SC2"),
                "");
        }
        return new([Path.Combine(home, "StarCraftII")], null, "SC2_x64", "");
    }
}
