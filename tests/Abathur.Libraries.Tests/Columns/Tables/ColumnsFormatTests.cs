using Abathur.Columns.Tables;
using Google.Protobuf.Reflection;
using SC2APIProtocol;

namespace Abathur.Columns.Tests.Tables;

/// <summary>The library does not reference the generated classes, so its field numbers are compared with theirs here.</summary>
public class ColumnsFormatTests
{
    private static readonly Dictionary<TableId, MessageDescriptor> Messages = new()
    {
        [TableId.Units] = Unit.Descriptor,
        [TableId.Orders] = UnitOrder.Descriptor,
        [TableId.Passengers] = PassengerUnit.Descriptor,
        [TableId.RallyTargets] = RallyTarget.Descriptor,
    };

    public static TheoryData<TableId> Tables => [.. Messages.Keys];

    [Theory]
    [MemberData(nameof(Tables))]
    public void Fields_EachTable_AreThoseOfTheGeneratedMessage(TableId table)
    {
        var message = Messages[table];
        var schema = ColumnsFormat.Tables[(int)table];
        // What has no column goes with the bytes that are copied, as unknown fields do.
        Assert.All(schema.Fields, column =>
        {
            var field = message.FindFieldByNumber(column.Number);
            Assert.NotNull(field);
            Assert.Equal((field.Name, TypeOf(field)), (field.Name, column.Type));
            Assert.Equal((field.Name, field.IsRepeated), (field.Name, column.Type == CellType.Rows));
            if (column.Type != CellType.Rows || field.FieldType != FieldType.Message) return;
            Assert.Equal((field.Name, field.MessageType), (field.Name, Messages[column.Table]));
        });
        Assert.Equal(message.Fields.InDeclarationOrder().Count, schema.Fields.Length);
    }

    private static CellType TypeOf(FieldDescriptor field) => field switch
    {
        { IsRepeated: true } => CellType.Rows,
        { FieldType: FieldType.Float } => CellType.Float,
        { FieldType: FieldType.Bool } => CellType.Bool,
        { FieldType: FieldType.Int32 or FieldType.Enum } => CellType.Int32,
        { FieldType: FieldType.UInt32 } => CellType.UInt32,
        { FieldType: FieldType.UInt64 } => CellType.UInt64,
        { FieldType: FieldType.Message, MessageType.Name: nameof(Point) } => CellType.Point,
        _ => CellType.None,
    };
}
