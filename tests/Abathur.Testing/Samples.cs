namespace Abathur.Testing;

/// <summary>Bytes for tests of compression.</summary>
public static class Samples
{
    /// <summary>Bytes of which each has four bits of information: they compress to about half. The same for the same size.</summary>
    public static byte[] HalfRandom(int size)
    {
        var random = new Random(7);
        return [.. Enumerable.Range(0, size).Select(_ => (byte)random.Next(16))];
    }
}
