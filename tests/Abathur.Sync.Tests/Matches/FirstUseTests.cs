using Abathur.Sync.Frames;
using Abathur.Sync.Matches;
using Abathur.Sync.V1;

namespace Abathur.Sync.Tests.Matches;

public class FirstUseTests
{
    [Fact]
    public async Task Of_EveryFormatWholeAndMasked_IsUsedOnce()
    {
        foreach (var encoding in new[] { Encoding.Proto, Encoding.Json, Encoding.Columns })
        {
            foreach (var compression in Enum.GetValues<V1.Compression>())
            {
                foreach (var isMasked in new[] { false, true })
                {
                    var format = new PayloadFormat(encoding, compression);
                    var use = FirstUse.OfAsync(format, isMasked);
                    await use.WaitAsync(TimeSpan.FromMinutes(1));
                    Assert.Same(use, FirstUse.OfAsync(format, isMasked));
                }
            }
        }
    }
}
