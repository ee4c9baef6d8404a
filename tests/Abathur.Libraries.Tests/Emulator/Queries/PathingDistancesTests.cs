using Abathur.Emulator.Queries;
using FsCheck;
using FsCheck.Fluent;
using Google.Protobuf;
using SC2APIProtocol;

namespace Abathur.Emulator.Tests.Queries;

public class PathingDistancesTests
{
    private const int Side = 12;

    [Fact]
    public void Between_AnyGrid_IsThereWhereAFloodFillReachesAndNotShorterThanTheStraightLine()
    {
        var property = Prop.ForAll<int, byte, byte>((seed, from, to) =>
        {
            var grid = Random(seed);
            var distances = new PathingDistances(grid);
            var (x, y, endX, endY) = (from % Side, from / Side % Side, to % Side, to / Side % Side);
            var there = distances.Between(x + 0.5f, y + 0.5f, endX + 0.5f, endY + 0.5f);
            var back = distances.Between(endX + 0.5f, endY + 0.5f, x + 0.5f, y + 0.5f);
            var straight = MathF.Sqrt((x - endX) * (x - endX) + (y - endY) * (y - endY));
            var isReached = Reached(grid, x, y).Contains((endX, endY));
            return isReached && straight > 0
                ? there >= straight && there <= Side * Side * 1.5f && MathF.Abs(there - back) < 0.01f
                : there == 0 && back == 0;
        });
        // Corners that a line may slip through are rare.
        Check.One(Config.QuickThrowOnFailure.WithMaxTest(Runs.Of(2000)), property);
    }

    [Fact]
    public void Between_AWallWithAGap_GoesThroughTheGap()
    {
        // Open but for column 5, which has its one gap at the top.
        var distances = new PathingDistances(new TerrainGrid(Side, Side, static (x, y) => x != 5 || y == Side - 1));
        Assert.Equal(3, distances.Between(1.5f, 1.5f, 4.5f, 1.5f), 3);
        // To the gap by 3 diagonal steps and 7 straight ones, 2 through it, and down again.
        var around = distances.Between(1.5f, 1.5f, 9.5f, 1.5f);
        Assert.Equal(24.4f, around, 3);
    }

    [Theory]
    [InlineData(float.NaN, 1)]
    [InlineData(1, float.PositiveInfinity)]
    [InlineData(-0.001f, 1)]
    [InlineData(1, 12)]
    [InlineData(3e38f, -3e38f)]
    public void Between_PointsThatAreNoCells_IsZero(float x, float y)
    {
        var distances = new PathingDistances(new TerrainGrid(Side, Side, static (_, _) => true));
        Assert.Equal(0, distances.Between(x, y, 1, 1));
        Assert.Equal(0, distances.Between(1, 1, x, y));
        Assert.Null(new PathingDistances(new TerrainGrid(0, 0, static (_, _) => true)).NearestOpen(x, y, 4));
    }

    [Fact]
    public void Between_ManyTargets_StaysRightBeyondWhatIsRemembered()
    {
        var distances = new PathingDistances(new TerrainGrid(Side, Side, static (x, y) => x != 5 || y == 0));
        for (var round = 0; round < 2; round++)
        {
            for (var y = 1; y < Side; y++)
            {
                for (var x = 6; x < Side; x++) Assert.True(distances.Between(0.5f, 5.5f, x + 0.5f, y + 0.5f) > x - 0.5f);
            }
        }
    }

    [Fact]
    public void NearestOpen_InAFootprint_IsTheOpenCellBeside()
    {
        var distances = new PathingDistances(new TerrainGrid(Side, Side, static (x, y) => x is < 3 or > 8 || y is < 3 or > 8));
        Assert.Equal((1.2f, 1.7f), distances.NearestOpen(1.2f, 1.7f, 4));
        Assert.Equal((2.5f, 5.5f), distances.NearestOpen(4.1f, 5.5f, 4));
        Assert.Null(distances.NearestOpen(6, 6, 1));
        Assert.Null(distances.NearestOpen(-0.5f, 5.5f, 4));
        Assert.Null(distances.NearestOpen(Side + 0.5f, 5.5f, 4));
        Assert.Null(distances.NearestOpen(float.NaN, 5.5f, 4));
    }

    [Fact]
    public void TerrainGrid_Bits_AreReadHighestFirstRowByRow()
    {
        var image = new ImageData
        {
            BitsPerPixel = 1,
            Size = new Size2DI { X = 4, Y = 3 },
            Data = ByteString.CopyFrom(0b1000_0110, 0b0001_0000),
        };
        var grid = TerrainGrid.From(image);
        var open = from y in Enumerable.Range(-1, 6) from x in Enumerable.Range(-1, 7) where grid[x, y] select (x, y);
        Assert.Equal([(0, 0), (1, 1), (2, 1), (3, 2)], open);
    }

    [Theory]
    [InlineData(int.MaxValue, int.MaxValue)]
    [InlineData(-1, 5)]
    [InlineData(0, 0)]
    public void TerrainGrid_SizesThatCannotBe_AreEmpty(int x, int y)
    {
        var grid = TerrainGrid.From(
            new ImageData { BitsPerPixel = 8, Size = new Size2DI { X = x, Y = y }, Data = ByteString.CopyFrom(1, 1) });
        Assert.Equal((0, 0), (grid.Width, grid.Height));
        Assert.False(TerrainGrid.From(null)[0, 0]);
    }

    private static TerrainGrid Random(int seed)
    {
        var random = new Random(seed);
        var open = new bool[Side * Side];
        for (var i = 0; i < open.Length; i++) open[i] = random.Next(100) < 65;
        return new TerrainGrid(Side, Side, (x, y) => open[y * Side + x]);
    }

    // Diagonal steps need both cells beside them, so that what is reached is what straight steps reach.
    private static HashSet<(int X, int Y)> Reached(TerrainGrid grid, int x, int y)
    {
        var reached = new HashSet<(int, int)>();
        var open = new Stack<(int X, int Y)>();
        if (grid[x, y]) open.Push((x, y));
        while (open.TryPop(out var at))
        {
            if (!reached.Add(at)) continue;
            foreach (var next in new[] { (at.X + 1, at.Y), (at.X - 1, at.Y), (at.X, at.Y + 1), (at.X, at.Y - 1) })
            {
                if (grid[next.Item1, next.Item2]) open.Push(next);
            }
        }
        return reached;
    }
}
