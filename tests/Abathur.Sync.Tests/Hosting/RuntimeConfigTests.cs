using System.Text.Json;

namespace Abathur.Sync.Tests.Hosting;

public class RuntimeConfigTests
{
    [Fact]
    public void RuntimeConfig_AsBuilt_SetsTheGen0BudgetIndependentOfTheProcessor()
    {
        // It is beside the tests, as they refer to the program.
        var file = Path.Combine(AppContext.BaseDirectory, "abathur-sync.runtimeconfig.json");

        using var config = JsonDocument.Parse(File.ReadAllBytes(file));

        var properties = config.RootElement.GetProperty("runtimeOptions").GetProperty("configProperties");
        Assert.Equal(16 << 20, properties.GetProperty("System.GC.Gen0MaxBudget").GetInt32());
    }
}
