namespace Abathur.Columns.Tables;

/// <summary>Numbers and tables of the format that <c>docs/columns.md</c> specifies: shared by encoder and decoder.</summary>
internal static class ColumnsFormat
{
    public const byte Version = 1;
    public const byte KeyframeFlag = 1;

    public const int TableCount = 5;
    public const int BlobCount = 4;

    /// <summary>Rows of units that come and go; then the changes of each table, then the blobs.</summary>
    public const int SectionCount = 1 + TableCount + BlobCount;

    /// <summary>Position of the width in the byte of a changed column.</summary>
    public const int WidthShift = 6;

    /// <summary>The count that announces a longer one.</summary>
    public const int LongCount = 255;

    public const int MaxUnits = 65_535;
    public const int MaxChildRows = 262_144;

    // Columns of units that the format itself uses.
    public const int X = 0;
    public const int Y = 1;
    public const int Speed = 2;
    public const int Facing = 10;
    public const int DisplayType = 17;
    public const int Alliance = 18;
    public const int UnitType = 19;
    public const int Owner = 20;
    public const int Tag = 40;
    public const int UnitHas = 43;
    public const int UnitKinds = 44;
    public const int FirstCount = 45;

    // Columns of orders.
    public const int TargetUnitTag = 5;
    public const int TargetPosition = 8;

    // Blobs.
    public const byte BlobGone = 0;
    public const byte BlobWhole = 1;
    public const byte BlobXor = 2;

    /// <summary>The fields of a <c>Point</c>: x, y, z.</summary>
    public const int PointFields = 3;

    public static TableSchema Units { get; } = new(
        49, 10, UnitHas, MaxUnits,
        new(1, CellType.Int32, DisplayType),
        new(2, CellType.Int32, Alliance),
        new(3, CellType.UInt64, Tag),
        new(4, CellType.UInt32, UnitType),
        new(5, CellType.Int32, Owner),
        new(6, CellType.Point, 2, Points: [X, Y, 3]),
        new(7, CellType.Float, Facing),
        new(8, CellType.Float, 11),
        new(9, CellType.Float, 5),
        new(10, CellType.Int32, 21),
        new(11, CellType.Bool, 22),
        new(12, CellType.Bool, 23),
        new(13, CellType.Bool, 24),
        new(14, CellType.Float, 6),
        new(15, CellType.Float, 14),
        new(16, CellType.Float, 7),
        new(17, CellType.Float, 8),
        new(18, CellType.Int32, 30),
        new(19, CellType.Int32, 31),
        new(20, CellType.Bool, 32),
        new(21, CellType.Bool, 33),
        new(22, CellType.Rows, FirstCount, TableId.Orders),
        new(23, CellType.UInt64, 41),
        new(24, CellType.Rows, FirstCount + 2, TableId.Passengers),
        new(25, CellType.Int32, 35),
        new(26, CellType.Int32, 36),
        new(27, CellType.Rows, FirstCount + 1, TableId.Buffs),
        new(28, CellType.Int32, 37),
        new(29, CellType.Int32, 38),
        new(30, CellType.Float, 9),
        new(31, CellType.Float, 12),
        new(32, CellType.Float, 13),
        new(34, CellType.UInt64, 42),
        new(35, CellType.Bool, 25),
        new(36, CellType.Float, 15),
        new(37, CellType.Float, 16),
        new(38, CellType.Bool, 34),
        new(39, CellType.Bool, 26),
        new(40, CellType.Int32, 27),
        new(41, CellType.Int32, 28),
        new(42, CellType.Int32, 29),
        new(43, CellType.Int32, 4),
        new(44, CellType.Int32, 39),
        new(45, CellType.Rows, FirstCount + 3, TableId.RallyTargets));

    public static TableSchema Orders { get; } = new(
        8, 1, 6, MaxChildRows,
        new(1, CellType.UInt32, 4),
        new(2, CellType.Point, TargetPosition, Points: [1, 2, 3]),
        new(3, CellType.UInt64, TargetUnitTag),
        new(4, CellType.Float, 0));

    public static TableSchema Buffs { get; } = new(1, 0, -1, MaxChildRows);

    public static TableSchema Passengers { get; } = new(
        10, 0, 8, MaxChildRows,
        new(1, CellType.UInt64, 7),
        new(2, CellType.Float, 0),
        new(3, CellType.Float, 1),
        new(4, CellType.Float, 2),
        new(5, CellType.Float, 4),
        new(6, CellType.UInt32, 6),
        new(7, CellType.Float, 3),
        new(8, CellType.Float, 5));

    public static TableSchema RallyTargets { get; } = new(
        6, 0, 4, MaxChildRows,
        new(1, CellType.Point, 6, Points: [0, 1, 2]),
        new(2, CellType.UInt64, 3));

    /// <summary>All of them, by <see cref="TableId"/>.</summary>
    public static TableSchema[] Tables { get; } = [Units, Orders, Buffs, Passengers, RallyTargets];

    public static int Section(TableId table) => 1 + (int)table;

    public static int Section(BlobId blob) => 1 + TableCount + (int)blob;

    /// <summary>Bytes that a value takes, as a power of two: 0 to 3.</summary>
    public static int WidthCode(ulong value) => value <= byte.MaxValue ? 0 : value <= ushort.MaxValue ? 1 : value <= uint.MaxValue ? 2 : 3;

    /// <summary>Bytes that a value takes: 0 to 8.</summary>
    public static int Width(ulong value) => (71 - System.Numerics.BitOperations.LeadingZeroCount(value)) >> 3;
}
