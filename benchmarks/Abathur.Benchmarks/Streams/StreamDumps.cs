using System.Buffers.Binary;

namespace Abathur.Benchmarks.Streams;

/// <summary>Files with the payloads of streams, for readers in other languages: a byte (1: keyframe), four of length (little-endian), the
/// payload.</summary>
internal sealed class StreamDumps : IDisposable
{
    private readonly List<FileStream> _files = [];
    private readonly IReadOnlyList<StreamRun> _runs;

    /// <param name="folder">Where to write; null: nothing is written.</param>
    /// <param name="runs">Of these, those that have keyframes.</param>
    public StreamDumps(string? folder, IReadOnlyList<StreamRun> runs)
    {
        _runs = runs;
        if (folder is null) return;
        Directory.CreateDirectory(folder);
        foreach (var run in runs.Where(run => run.HasKeyframes))
        {
            var file = File.Create(Path.Combine(folder, $"{run.Name}.stream"));
            _files.Add(file);
            run.Payload = (isKeyframe, payload) =>
            {
                Span<byte> head = stackalloc byte[5];
                head[0] = isKeyframe ? (byte)1 : (byte)0;
                BinaryPrimitives.WriteInt32LittleEndian(head[1..], payload.Length);
                file.Write(head);
                file.Write(payload);
            };
        }
    }

    public void Dispose()
    {
        foreach (var run in _runs) run.Payload = null;
        foreach (var file in _files) file.Dispose();
    }
}
