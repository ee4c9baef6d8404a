using Abathur.Sync.V1;

namespace Abathur.Sync.Matches.Plots;

/// <summary>Limits of plots.</summary>
internal static class PlotRules
{
    /// <summary>Values in one request.</summary>
    public const int MaxValuesAtOnce = 64;

    /// <summary>Characters of the name of an agent or a series.</summary>
    public const int MaxNameLength = 64;

    /// <summary>What is wrong with a request; null if it is valid.</summary>
    public static string? Problem(PlotRequest request)
    {
        if (request.Agent.Length > MaxNameLength)
            return $"agent has {request.Agent.Length} characters; at most {MaxNameLength} are allowed";
        if (request.Values.Count is 0 or > MaxValuesAtOnce)
            return $"{request.Values.Count} values at once; 1 to {MaxValuesAtOnce} are allowed";
        for (var i = 0; i < request.Values.Count; i++)
        {
            if (Problem(request.Values[i].Name, request.Values[i].Value) is { } problem) return $"values[{i}].{problem}";
        }
        return null;
    }

    /// <summary>What is wrong with a value of a series; null if it is valid.</summary>
    public static string? Problem(string name, double value)
    {
        if (name.Length is 0 or > MaxNameLength) return $"name has {name.Length} characters; 1 to {MaxNameLength} are allowed";
        return double.IsFinite(value) ? null : $"value of \"{name}\" is {value}; only finite numbers are allowed";
    }
}
