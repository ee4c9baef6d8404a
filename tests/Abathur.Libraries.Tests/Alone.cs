namespace Abathur.Tests;

/// <summary>Tests that run after all others and one at a time.</summary>
[CollectionDefinition(nameof(Alone), DisableParallelization = true)]
public sealed class Alone;
