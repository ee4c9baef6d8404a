namespace Abathur.Columns.Tables;

/// <summary>The blobs, in the order of their sections.</summary>
public enum BlobId
{
    /// <summary><c>map_state.visibility.data</c>.</summary>
    Visibility,

    /// <summary><c>map_state.creep.data</c>.</summary>
    Creep,

    /// <summary>The <c>ResponseObservation</c> without the units and the data of the grids, in protobuf.</summary>
    Rest,

    /// <summary>Fields of units, and of their submessages, that have no column.</summary>
    Extras,
}
