namespace Abathur.Testing;

/// <summary>A test that needs a folder of <see cref="SharedData"/>; skipped, saying so, where that is missing.</summary>
[AttributeUsage(AttributeTargets.Method)]
public sealed class SharedFactAttribute : FactAttribute
{
    public SharedFactAttribute(string folder)
    {
        if (!Directory.Exists(SharedData.PathTo(folder))) Skip = $"{SharedData.PathTo(folder)} does not exist";
    }
}
