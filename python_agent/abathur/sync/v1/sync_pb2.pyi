import datetime

from google.protobuf import duration_pb2 as _duration_pb2
from google.protobuf import field_mask_pb2 as _field_mask_pb2
from s2clientprotocol import common_pb2 as _common_pb2
from s2clientprotocol import query_pb2 as _query_pb2
from s2clientprotocol import sc2api_pb2 as _sc2api_pb2
from google.protobuf.internal import containers as _containers
from google.protobuf.internal import enum_type_wrapper as _enum_type_wrapper
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Iterable as _Iterable, Mapping as _Mapping
from typing import Any as _Any, ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class Policy(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    latest: _ClassVar[Policy]
    every: _ClassVar[Policy]
    lockstep: _ClassVar[Policy]

class Encoding(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    auto: _ClassVar[Encoding]
    proto: _ClassVar[Encoding]
    json: _ClassVar[Encoding]
    columns: _ClassVar[Encoding]

class Compression(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    none: _ClassVar[Compression]
    gzip: _ClassVar[Compression]
    br: _ClassVar[Compression]
    zstd: _ClassVar[Compression]
    zstd_stream: _ClassVar[Compression]
    br_stream: _ClassVar[Compression]

class SourceKind(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    source_unknown: _ClassVar[SourceKind]
    playback: _ClassVar[SourceKind]
    live: _ClassVar[SourceKind]
    proxy: _ClassVar[SourceKind]
    push: _ClassVar[SourceKind]
    synth: _ClassVar[SourceKind]

class MatchState(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    match_running: _ClassVar[MatchState]
    match_over: _ClassVar[MatchState]
    match_lost: _ClassVar[MatchState]

class Missing(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    missing_unknown: _ClassVar[Missing]
    missing_bot: _ClassVar[Missing]
    missing_game: _ClassVar[Missing]
    missing_frames: _ClassVar[Missing]
latest: Policy
every: Policy
lockstep: Policy
auto: Encoding
proto: Encoding
json: Encoding
columns: Encoding
none: Compression
gzip: Compression
br: Compression
zstd: Compression
zstd_stream: Compression
br_stream: Compression
source_unknown: SourceKind
playback: SourceKind
live: SourceKind
proxy: SourceKind
push: SourceKind
synth: SourceKind
match_running: MatchState
match_over: MatchState
match_lost: MatchState
missing_unknown: Missing
missing_bot: Missing
missing_game: Missing
missing_frames: Missing

class GetMatchRequest(_message.Message):
    __slots__ = ("wait", "run_id")
    WAIT_FIELD_NUMBER: _ClassVar[int]
    RUN_ID_FIELD_NUMBER: _ClassVar[int]
    wait: bool
    run_id: str
    def __init__(self, wait: bool = ..., run_id: _Optional[str] = ...) -> None: ...

class GetStatusRequest(_message.Message):
    __slots__ = ("run_id",)
    RUN_ID_FIELD_NUMBER: _ClassVar[int]
    run_id: str
    def __init__(self, run_id: _Optional[str] = ...) -> None: ...

class GetMatchesRequest(_message.Message):
    __slots__ = ()
    def __init__(self) -> None: ...

class MatchList(_message.Message):
    __slots__ = ("matches",)
    MATCHES_FIELD_NUMBER: _ClassVar[int]
    matches: _containers.RepeatedCompositeFieldContainer[MatchSummary]
    def __init__(self, matches: _Optional[_Iterable[_Union[MatchSummary, _Mapping[str, _Any]]]] = ...) -> None: ...

class MatchSummary(_message.Message):
    __slots__ = ("match", "state", "ended_unix_ns", "last_game_loop", "frames", "results", "reason", "recording", "history")
    MATCH_FIELD_NUMBER: _ClassVar[int]
    STATE_FIELD_NUMBER: _ClassVar[int]
    ENDED_UNIX_NS_FIELD_NUMBER: _ClassVar[int]
    LAST_GAME_LOOP_FIELD_NUMBER: _ClassVar[int]
    FRAMES_FIELD_NUMBER: _ClassVar[int]
    RESULTS_FIELD_NUMBER: _ClassVar[int]
    REASON_FIELD_NUMBER: _ClassVar[int]
    RECORDING_FIELD_NUMBER: _ClassVar[int]
    HISTORY_FIELD_NUMBER: _ClassVar[int]
    match: Match
    state: MatchState
    ended_unix_ns: int
    last_game_loop: int
    frames: int
    results: _containers.RepeatedCompositeFieldContainer[_sc2api_pb2.PlayerResult]
    reason: str
    recording: RecordingStatus
    history: HistoryStatus
    def __init__(self, match: _Optional[_Union[Match, _Mapping[str, _Any]]] = ..., state: _Optional[_Union[MatchState, str]] = ..., ended_unix_ns: _Optional[int] = ..., last_game_loop: _Optional[int] = ..., frames: _Optional[int] = ..., results: _Optional[_Iterable[_Union[_sc2api_pb2.PlayerResult, _Mapping[str, _Any]]]] = ..., reason: _Optional[str] = ..., recording: _Optional[_Union[RecordingStatus, _Mapping[str, _Any]]] = ..., history: _Optional[_Union[HistoryStatus, _Mapping[str, _Any]]] = ...) -> None: ...

class MatchEnded(_message.Message):
    __slots__ = ("run_id", "reason", "results", "lost")
    RUN_ID_FIELD_NUMBER: _ClassVar[int]
    REASON_FIELD_NUMBER: _ClassVar[int]
    RESULTS_FIELD_NUMBER: _ClassVar[int]
    LOST_FIELD_NUMBER: _ClassVar[int]
    run_id: str
    reason: str
    results: _containers.RepeatedCompositeFieldContainer[_sc2api_pb2.PlayerResult]
    lost: bool
    def __init__(self, run_id: _Optional[str] = ..., reason: _Optional[str] = ..., results: _Optional[_Iterable[_Union[_sc2api_pb2.PlayerResult, _Mapping[str, _Any]]]] = ..., lost: bool = ...) -> None: ...

class Match(_message.Message):
    __slots__ = ("match_id", "run_id", "player_id", "map_name", "game_version", "tick_hz", "source", "actions_allowed", "simulated", "first_game_loop", "last_game_loop", "frame_count", "game_info", "game_data", "group_id", "began_unix_ns")
    MATCH_ID_FIELD_NUMBER: _ClassVar[int]
    RUN_ID_FIELD_NUMBER: _ClassVar[int]
    PLAYER_ID_FIELD_NUMBER: _ClassVar[int]
    MAP_NAME_FIELD_NUMBER: _ClassVar[int]
    GAME_VERSION_FIELD_NUMBER: _ClassVar[int]
    TICK_HZ_FIELD_NUMBER: _ClassVar[int]
    SOURCE_FIELD_NUMBER: _ClassVar[int]
    ACTIONS_ALLOWED_FIELD_NUMBER: _ClassVar[int]
    SIMULATED_FIELD_NUMBER: _ClassVar[int]
    FIRST_GAME_LOOP_FIELD_NUMBER: _ClassVar[int]
    LAST_GAME_LOOP_FIELD_NUMBER: _ClassVar[int]
    FRAME_COUNT_FIELD_NUMBER: _ClassVar[int]
    GAME_INFO_FIELD_NUMBER: _ClassVar[int]
    GAME_DATA_FIELD_NUMBER: _ClassVar[int]
    GROUP_ID_FIELD_NUMBER: _ClassVar[int]
    BEGAN_UNIX_NS_FIELD_NUMBER: _ClassVar[int]
    match_id: str
    run_id: str
    player_id: int
    map_name: str
    game_version: str
    tick_hz: float
    source: SourceKind
    actions_allowed: bool
    simulated: bool
    first_game_loop: int
    last_game_loop: int
    frame_count: int
    game_info: _sc2api_pb2.ResponseGameInfo
    game_data: _sc2api_pb2.ResponseData
    group_id: str
    began_unix_ns: int
    def __init__(self, match_id: _Optional[str] = ..., run_id: _Optional[str] = ..., player_id: _Optional[int] = ..., map_name: _Optional[str] = ..., game_version: _Optional[str] = ..., tick_hz: _Optional[float] = ..., source: _Optional[_Union[SourceKind, str]] = ..., actions_allowed: bool = ..., simulated: bool = ..., first_game_loop: _Optional[int] = ..., last_game_loop: _Optional[int] = ..., frame_count: _Optional[int] = ..., game_info: _Optional[_Union[_sc2api_pb2.ResponseGameInfo, _Mapping[str, _Any]]] = ..., game_data: _Optional[_Union[_sc2api_pb2.ResponseData, _Mapping[str, _Any]]] = ..., group_id: _Optional[str] = ..., began_unix_ns: _Optional[int] = ...) -> None: ...

class SubscribeRequest(_message.Message):
    __slots__ = ("policy", "encoding", "compression", "field_mask", "every_game_loops", "buffer_frames", "lockstep_timeout", "credits", "name", "compression_level", "drawings", "newest", "start_oldest", "start_game_loop", "start_after_game_loop", "max_frames", "run_id", "follow")
    POLICY_FIELD_NUMBER: _ClassVar[int]
    ENCODING_FIELD_NUMBER: _ClassVar[int]
    COMPRESSION_FIELD_NUMBER: _ClassVar[int]
    FIELD_MASK_FIELD_NUMBER: _ClassVar[int]
    EVERY_GAME_LOOPS_FIELD_NUMBER: _ClassVar[int]
    BUFFER_FRAMES_FIELD_NUMBER: _ClassVar[int]
    LOCKSTEP_TIMEOUT_FIELD_NUMBER: _ClassVar[int]
    CREDITS_FIELD_NUMBER: _ClassVar[int]
    NAME_FIELD_NUMBER: _ClassVar[int]
    COMPRESSION_LEVEL_FIELD_NUMBER: _ClassVar[int]
    DRAWINGS_FIELD_NUMBER: _ClassVar[int]
    NEWEST_FIELD_NUMBER: _ClassVar[int]
    START_OLDEST_FIELD_NUMBER: _ClassVar[int]
    START_GAME_LOOP_FIELD_NUMBER: _ClassVar[int]
    START_AFTER_GAME_LOOP_FIELD_NUMBER: _ClassVar[int]
    MAX_FRAMES_FIELD_NUMBER: _ClassVar[int]
    RUN_ID_FIELD_NUMBER: _ClassVar[int]
    FOLLOW_FIELD_NUMBER: _ClassVar[int]
    policy: Policy
    encoding: Encoding
    compression: Compression
    field_mask: _field_mask_pb2.FieldMask
    every_game_loops: int
    buffer_frames: int
    lockstep_timeout: _duration_pb2.Duration
    credits: int
    name: str
    compression_level: int
    drawings: bool
    newest: bool
    start_oldest: bool
    start_game_loop: int
    start_after_game_loop: int
    max_frames: int
    run_id: str
    follow: bool
    def __init__(self, policy: _Optional[_Union[Policy, str]] = ..., encoding: _Optional[_Union[Encoding, str]] = ..., compression: _Optional[_Union[Compression, str]] = ..., field_mask: _Optional[_Union[_field_mask_pb2.FieldMask, _Mapping[str, _Any]]] = ..., every_game_loops: _Optional[int] = ..., buffer_frames: _Optional[int] = ..., lockstep_timeout: _Optional[_Union[datetime.timedelta, _duration_pb2.Duration, _Mapping[str, _Any]]] = ..., credits: _Optional[int] = ..., name: _Optional[str] = ..., compression_level: _Optional[int] = ..., drawings: bool = ..., newest: bool = ..., start_oldest: bool = ..., start_game_loop: _Optional[int] = ..., start_after_game_loop: _Optional[int] = ..., max_frames: _Optional[int] = ..., run_id: _Optional[str] = ..., follow: bool = ...) -> None: ...

class Frame(_message.Message):
    __slots__ = ("match_id", "sequence", "game_loop", "captured_monotonic_ns", "captured_unix_ns", "published_monotonic_ns", "published_unix_ns", "keyframe", "encoding", "compression", "dropped", "dropped_first_game_loop", "dropped_last_game_loop", "observation", "data", "encoded_monotonic_ns", "plain_bytes", "earlier", "skipped_events", "skipped_events_incomplete", "run_id")
    MATCH_ID_FIELD_NUMBER: _ClassVar[int]
    SEQUENCE_FIELD_NUMBER: _ClassVar[int]
    GAME_LOOP_FIELD_NUMBER: _ClassVar[int]
    CAPTURED_MONOTONIC_NS_FIELD_NUMBER: _ClassVar[int]
    CAPTURED_UNIX_NS_FIELD_NUMBER: _ClassVar[int]
    PUBLISHED_MONOTONIC_NS_FIELD_NUMBER: _ClassVar[int]
    PUBLISHED_UNIX_NS_FIELD_NUMBER: _ClassVar[int]
    KEYFRAME_FIELD_NUMBER: _ClassVar[int]
    ENCODING_FIELD_NUMBER: _ClassVar[int]
    COMPRESSION_FIELD_NUMBER: _ClassVar[int]
    DROPPED_FIELD_NUMBER: _ClassVar[int]
    DROPPED_FIRST_GAME_LOOP_FIELD_NUMBER: _ClassVar[int]
    DROPPED_LAST_GAME_LOOP_FIELD_NUMBER: _ClassVar[int]
    OBSERVATION_FIELD_NUMBER: _ClassVar[int]
    DATA_FIELD_NUMBER: _ClassVar[int]
    ENCODED_MONOTONIC_NS_FIELD_NUMBER: _ClassVar[int]
    PLAIN_BYTES_FIELD_NUMBER: _ClassVar[int]
    EARLIER_FIELD_NUMBER: _ClassVar[int]
    SKIPPED_EVENTS_FIELD_NUMBER: _ClassVar[int]
    SKIPPED_EVENTS_INCOMPLETE_FIELD_NUMBER: _ClassVar[int]
    RUN_ID_FIELD_NUMBER: _ClassVar[int]
    match_id: str
    sequence: int
    game_loop: int
    captured_monotonic_ns: int
    captured_unix_ns: int
    published_monotonic_ns: int
    published_unix_ns: int
    keyframe: bool
    encoding: Encoding
    compression: Compression
    dropped: int
    dropped_first_game_loop: int
    dropped_last_game_loop: int
    observation: _sc2api_pb2.ResponseObservation
    data: bytes
    encoded_monotonic_ns: int
    plain_bytes: int
    earlier: _containers.RepeatedScalarFieldContainer[bytes]
    skipped_events: _sc2api_pb2.ResponseObservation
    skipped_events_incomplete: bool
    run_id: str
    def __init__(self, match_id: _Optional[str] = ..., sequence: _Optional[int] = ..., game_loop: _Optional[int] = ..., captured_monotonic_ns: _Optional[int] = ..., captured_unix_ns: _Optional[int] = ..., published_monotonic_ns: _Optional[int] = ..., published_unix_ns: _Optional[int] = ..., keyframe: bool = ..., encoding: _Optional[_Union[Encoding, str]] = ..., compression: _Optional[_Union[Compression, str]] = ..., dropped: _Optional[int] = ..., dropped_first_game_loop: _Optional[int] = ..., dropped_last_game_loop: _Optional[int] = ..., observation: _Optional[_Union[_sc2api_pb2.ResponseObservation, _Mapping[str, _Any]]] = ..., data: _Optional[bytes] = ..., encoded_monotonic_ns: _Optional[int] = ..., plain_bytes: _Optional[int] = ..., earlier: _Optional[_Iterable[bytes]] = ..., skipped_events: _Optional[_Union[_sc2api_pb2.ResponseObservation, _Mapping[str, _Any]]] = ..., skipped_events_incomplete: bool = ..., run_id: _Optional[str] = ...) -> None: ...

class ActRequest(_message.Message):
    __slots__ = ("game_loop", "actions", "max_late_game_loops", "run_id")
    GAME_LOOP_FIELD_NUMBER: _ClassVar[int]
    ACTIONS_FIELD_NUMBER: _ClassVar[int]
    MAX_LATE_GAME_LOOPS_FIELD_NUMBER: _ClassVar[int]
    RUN_ID_FIELD_NUMBER: _ClassVar[int]
    game_loop: int
    actions: _containers.RepeatedCompositeFieldContainer[_sc2api_pb2.Action]
    max_late_game_loops: int
    run_id: str
    def __init__(self, game_loop: _Optional[int] = ..., actions: _Optional[_Iterable[_Union[_sc2api_pb2.Action, _Mapping[str, _Any]]]] = ..., max_late_game_loops: _Optional[int] = ..., run_id: _Optional[str] = ...) -> None: ...

class ActResult(_message.Message):
    __slots__ = ("response", "game_loop", "late_game_loops")
    RESPONSE_FIELD_NUMBER: _ClassVar[int]
    GAME_LOOP_FIELD_NUMBER: _ClassVar[int]
    LATE_GAME_LOOPS_FIELD_NUMBER: _ClassVar[int]
    response: _sc2api_pb2.ResponseAction
    game_loop: int
    late_game_loops: int
    def __init__(self, response: _Optional[_Union[_sc2api_pb2.ResponseAction, _Mapping[str, _Any]]] = ..., game_loop: _Optional[int] = ..., late_game_loops: _Optional[int] = ...) -> None: ...

class QueryRequest(_message.Message):
    __slots__ = ("query", "run_id")
    QUERY_FIELD_NUMBER: _ClassVar[int]
    RUN_ID_FIELD_NUMBER: _ClassVar[int]
    query: _query_pb2.RequestQuery
    run_id: str
    def __init__(self, query: _Optional[_Union[_query_pb2.RequestQuery, _Mapping[str, _Any]]] = ..., run_id: _Optional[str] = ...) -> None: ...

class QueryResult(_message.Message):
    __slots__ = ("response", "game_loop", "emulated")
    RESPONSE_FIELD_NUMBER: _ClassVar[int]
    GAME_LOOP_FIELD_NUMBER: _ClassVar[int]
    EMULATED_FIELD_NUMBER: _ClassVar[int]
    response: _query_pb2.ResponseQuery
    game_loop: int
    emulated: bool
    def __init__(self, response: _Optional[_Union[_query_pb2.ResponseQuery, _Mapping[str, _Any]]] = ..., game_loop: _Optional[int] = ..., emulated: bool = ...) -> None: ...

class GetTimelineRequest(_message.Message):
    __slots__ = ("after_game_loop", "whole", "run_id")
    AFTER_GAME_LOOP_FIELD_NUMBER: _ClassVar[int]
    WHOLE_FIELD_NUMBER: _ClassVar[int]
    RUN_ID_FIELD_NUMBER: _ClassVar[int]
    after_game_loop: int
    whole: bool
    run_id: str
    def __init__(self, after_game_loop: _Optional[int] = ..., whole: bool = ..., run_id: _Optional[str] = ...) -> None: ...

class Timeline(_message.Message):
    __slots__ = ("game_loops", "columns", "marks")
    class Column(_message.Message):
        __slots__ = ("name", "values")
        NAME_FIELD_NUMBER: _ClassVar[int]
        VALUES_FIELD_NUMBER: _ClassVar[int]
        name: str
        values: _containers.RepeatedScalarFieldContainer[float]
        def __init__(self, name: _Optional[str] = ..., values: _Optional[_Iterable[float]] = ...) -> None: ...
    class Mark(_message.Message):
        __slots__ = ("game_loop", "kind", "last_game_loop", "id", "own_lost", "enemy_lost", "at", "name")
        GAME_LOOP_FIELD_NUMBER: _ClassVar[int]
        KIND_FIELD_NUMBER: _ClassVar[int]
        LAST_GAME_LOOP_FIELD_NUMBER: _ClassVar[int]
        ID_FIELD_NUMBER: _ClassVar[int]
        OWN_LOST_FIELD_NUMBER: _ClassVar[int]
        ENEMY_LOST_FIELD_NUMBER: _ClassVar[int]
        AT_FIELD_NUMBER: _ClassVar[int]
        NAME_FIELD_NUMBER: _ClassVar[int]
        game_loop: int
        kind: str
        last_game_loop: int
        id: int
        own_lost: float
        enemy_lost: float
        at: _common_pb2.Point2D
        name: str
        def __init__(self, game_loop: _Optional[int] = ..., kind: _Optional[str] = ..., last_game_loop: _Optional[int] = ..., id: _Optional[int] = ..., own_lost: _Optional[float] = ..., enemy_lost: _Optional[float] = ..., at: _Optional[_Union[_common_pb2.Point2D, _Mapping[str, _Any]]] = ..., name: _Optional[str] = ...) -> None: ...
    GAME_LOOPS_FIELD_NUMBER: _ClassVar[int]
    COLUMNS_FIELD_NUMBER: _ClassVar[int]
    MARKS_FIELD_NUMBER: _ClassVar[int]
    game_loops: _containers.RepeatedScalarFieldContainer[int]
    columns: _containers.RepeatedCompositeFieldContainer[Timeline.Column]
    marks: _containers.RepeatedCompositeFieldContainer[Timeline.Mark]
    def __init__(self, game_loops: _Optional[_Iterable[int]] = ..., columns: _Optional[_Iterable[_Union[Timeline.Column, _Mapping[str, _Any]]]] = ..., marks: _Optional[_Iterable[_Union[Timeline.Mark, _Mapping[str, _Any]]]] = ...) -> None: ...

class PlotRequest(_message.Message):
    __slots__ = ("agent", "values", "game_loop", "run_id")
    class Sample(_message.Message):
        __slots__ = ("name", "value")
        NAME_FIELD_NUMBER: _ClassVar[int]
        VALUE_FIELD_NUMBER: _ClassVar[int]
        name: str
        value: float
        def __init__(self, name: _Optional[str] = ..., value: _Optional[float] = ...) -> None: ...
    AGENT_FIELD_NUMBER: _ClassVar[int]
    VALUES_FIELD_NUMBER: _ClassVar[int]
    GAME_LOOP_FIELD_NUMBER: _ClassVar[int]
    RUN_ID_FIELD_NUMBER: _ClassVar[int]
    agent: str
    values: _containers.RepeatedCompositeFieldContainer[PlotRequest.Sample]
    game_loop: int
    run_id: str
    def __init__(self, agent: _Optional[str] = ..., values: _Optional[_Iterable[_Union[PlotRequest.Sample, _Mapping[str, _Any]]]] = ..., game_loop: _Optional[int] = ..., run_id: _Optional[str] = ...) -> None: ...

class PlotResult(_message.Message):
    __slots__ = ("game_loop",)
    GAME_LOOP_FIELD_NUMBER: _ClassVar[int]
    game_loop: int
    def __init__(self, game_loop: _Optional[int] = ...) -> None: ...

class GetPlotsRequest(_message.Message):
    __slots__ = ("after_game_loop", "whole", "run_id")
    AFTER_GAME_LOOP_FIELD_NUMBER: _ClassVar[int]
    WHOLE_FIELD_NUMBER: _ClassVar[int]
    RUN_ID_FIELD_NUMBER: _ClassVar[int]
    after_game_loop: int
    whole: bool
    run_id: str
    def __init__(self, after_game_loop: _Optional[int] = ..., whole: bool = ..., run_id: _Optional[str] = ...) -> None: ...

class Plots(_message.Message):
    __slots__ = ("series",)
    class Series(_message.Message):
        __slots__ = ("agent", "name", "recorded", "game_loops", "values")
        AGENT_FIELD_NUMBER: _ClassVar[int]
        NAME_FIELD_NUMBER: _ClassVar[int]
        RECORDED_FIELD_NUMBER: _ClassVar[int]
        GAME_LOOPS_FIELD_NUMBER: _ClassVar[int]
        VALUES_FIELD_NUMBER: _ClassVar[int]
        agent: str
        name: str
        recorded: bool
        game_loops: _containers.RepeatedScalarFieldContainer[int]
        values: _containers.RepeatedScalarFieldContainer[float]
        def __init__(self, agent: _Optional[str] = ..., name: _Optional[str] = ..., recorded: bool = ..., game_loops: _Optional[_Iterable[int]] = ..., values: _Optional[_Iterable[float]] = ...) -> None: ...
    SERIES_FIELD_NUMBER: _ClassVar[int]
    series: _containers.RepeatedCompositeFieldContainer[Plots.Series]
    def __init__(self, series: _Optional[_Iterable[_Union[Plots.Series, _Mapping[str, _Any]]]] = ...) -> None: ...

class DrawRequest(_message.Message):
    __slots__ = ("layer", "shapes", "game_loop", "run_id")
    LAYER_FIELD_NUMBER: _ClassVar[int]
    SHAPES_FIELD_NUMBER: _ClassVar[int]
    GAME_LOOP_FIELD_NUMBER: _ClassVar[int]
    RUN_ID_FIELD_NUMBER: _ClassVar[int]
    layer: str
    shapes: _containers.RepeatedCompositeFieldContainer[Shape]
    game_loop: int
    run_id: str
    def __init__(self, layer: _Optional[str] = ..., shapes: _Optional[_Iterable[_Union[Shape, _Mapping[str, _Any]]]] = ..., game_loop: _Optional[int] = ..., run_id: _Optional[str] = ...) -> None: ...

class Shape(_message.Message):
    __slots__ = ("point", "circle", "line", "text", "color", "lifetime_game_loops")
    class Point(_message.Message):
        __slots__ = ("at",)
        AT_FIELD_NUMBER: _ClassVar[int]
        at: Shape.Position
        def __init__(self, at: _Optional[_Union[Shape.Position, _Mapping[str, _Any]]] = ...) -> None: ...
    class Circle(_message.Message):
        __slots__ = ("at", "radius")
        AT_FIELD_NUMBER: _ClassVar[int]
        RADIUS_FIELD_NUMBER: _ClassVar[int]
        at: Shape.Position
        radius: float
        def __init__(self, at: _Optional[_Union[Shape.Position, _Mapping[str, _Any]]] = ..., radius: _Optional[float] = ...) -> None: ...
    class Line(_message.Message):
        __slots__ = ("to",)
        FROM_FIELD_NUMBER: _ClassVar[int]
        TO_FIELD_NUMBER: _ClassVar[int]
        to: Shape.Position
        def __init__(self, to: _Optional[_Union[Shape.Position, _Mapping[str, _Any]]] = ..., **kwargs: _Any) -> None: ...
    class Text(_message.Message):
        __slots__ = ("at", "text")
        AT_FIELD_NUMBER: _ClassVar[int]
        TEXT_FIELD_NUMBER: _ClassVar[int]
        at: Shape.Position
        text: str
        def __init__(self, at: _Optional[_Union[Shape.Position, _Mapping[str, _Any]]] = ..., text: _Optional[str] = ...) -> None: ...
    class Position(_message.Message):
        __slots__ = ("x", "y", "z")
        X_FIELD_NUMBER: _ClassVar[int]
        Y_FIELD_NUMBER: _ClassVar[int]
        Z_FIELD_NUMBER: _ClassVar[int]
        x: float
        y: float
        z: float
        def __init__(self, x: _Optional[float] = ..., y: _Optional[float] = ..., z: _Optional[float] = ...) -> None: ...
    POINT_FIELD_NUMBER: _ClassVar[int]
    CIRCLE_FIELD_NUMBER: _ClassVar[int]
    LINE_FIELD_NUMBER: _ClassVar[int]
    TEXT_FIELD_NUMBER: _ClassVar[int]
    COLOR_FIELD_NUMBER: _ClassVar[int]
    LIFETIME_GAME_LOOPS_FIELD_NUMBER: _ClassVar[int]
    point: Shape.Point
    circle: Shape.Circle
    line: Shape.Line
    text: Shape.Text
    color: int
    lifetime_game_loops: int
    def __init__(self, point: _Optional[_Union[Shape.Point, _Mapping[str, _Any]]] = ..., circle: _Optional[_Union[Shape.Circle, _Mapping[str, _Any]]] = ..., line: _Optional[_Union[Shape.Line, _Mapping[str, _Any]]] = ..., text: _Optional[_Union[Shape.Text, _Mapping[str, _Any]]] = ..., color: _Optional[int] = ..., lifetime_game_loops: _Optional[int] = ...) -> None: ...

class DrawResult(_message.Message):
    __slots__ = ("game_loop", "shapes")
    GAME_LOOP_FIELD_NUMBER: _ClassVar[int]
    SHAPES_FIELD_NUMBER: _ClassVar[int]
    game_loop: int
    shapes: int
    def __init__(self, game_loop: _Optional[int] = ..., shapes: _Optional[int] = ...) -> None: ...

class ColumnsSegment(_message.Message):
    __slots__ = ("payloads", "game_loop_steps", "log_time_steps")
    PAYLOADS_FIELD_NUMBER: _ClassVar[int]
    GAME_LOOP_STEPS_FIELD_NUMBER: _ClassVar[int]
    LOG_TIME_STEPS_FIELD_NUMBER: _ClassVar[int]
    payloads: _containers.RepeatedScalarFieldContainer[bytes]
    game_loop_steps: _containers.RepeatedScalarFieldContainer[int]
    log_time_steps: _containers.RepeatedScalarFieldContainer[int]
    def __init__(self, payloads: _Optional[_Iterable[bytes]] = ..., game_loop_steps: _Optional[_Iterable[int]] = ..., log_time_steps: _Optional[_Iterable[int]] = ...) -> None: ...

class Drawings(_message.Message):
    __slots__ = ("game_loop", "layers")
    class Layer(_message.Message):
        __slots__ = ("name", "recorded", "shapes")
        NAME_FIELD_NUMBER: _ClassVar[int]
        RECORDED_FIELD_NUMBER: _ClassVar[int]
        SHAPES_FIELD_NUMBER: _ClassVar[int]
        name: str
        recorded: bool
        shapes: _containers.RepeatedCompositeFieldContainer[Drawings.Drawn]
        def __init__(self, name: _Optional[str] = ..., recorded: bool = ..., shapes: _Optional[_Iterable[_Union[Drawings.Drawn, _Mapping[str, _Any]]]] = ...) -> None: ...
    class Drawn(_message.Message):
        __slots__ = ("shape", "until_game_loop")
        SHAPE_FIELD_NUMBER: _ClassVar[int]
        UNTIL_GAME_LOOP_FIELD_NUMBER: _ClassVar[int]
        shape: Shape
        until_game_loop: int
        def __init__(self, shape: _Optional[_Union[Shape, _Mapping[str, _Any]]] = ..., until_game_loop: _Optional[int] = ...) -> None: ...
    GAME_LOOP_FIELD_NUMBER: _ClassVar[int]
    LAYERS_FIELD_NUMBER: _ClassVar[int]
    game_loop: int
    layers: _containers.RepeatedCompositeFieldContainer[Drawings.Layer]
    def __init__(self, game_loop: _Optional[int] = ..., layers: _Optional[_Iterable[_Union[Drawings.Layer, _Mapping[str, _Any]]]] = ...) -> None: ...

class PublishStart(_message.Message):
    __slots__ = ("encoding", "match")
    ENCODING_FIELD_NUMBER: _ClassVar[int]
    MATCH_FIELD_NUMBER: _ClassVar[int]
    encoding: Encoding
    match: Match
    def __init__(self, encoding: _Optional[_Union[Encoding, str]] = ..., match: _Optional[_Union[Match, _Mapping[str, _Any]]] = ...) -> None: ...

class PublishRequest(_message.Message):
    __slots__ = ("match", "observation", "actions", "end")
    MATCH_FIELD_NUMBER: _ClassVar[int]
    OBSERVATION_FIELD_NUMBER: _ClassVar[int]
    ACTIONS_FIELD_NUMBER: _ClassVar[int]
    END_FIELD_NUMBER: _ClassVar[int]
    match: Match
    observation: _sc2api_pb2.ResponseObservation
    actions: _sc2api_pb2.RequestAction
    end: End
    def __init__(self, match: _Optional[_Union[Match, _Mapping[str, _Any]]] = ..., observation: _Optional[_Union[_sc2api_pb2.ResponseObservation, _Mapping[str, _Any]]] = ..., actions: _Optional[_Union[_sc2api_pb2.RequestAction, _Mapping[str, _Any]]] = ..., end: _Optional[_Union[End, _Mapping[str, _Any]]] = ...) -> None: ...

class PublishResult(_message.Message):
    __slots__ = ("frames",)
    FRAMES_FIELD_NUMBER: _ClassVar[int]
    frames: int
    def __init__(self, frames: _Optional[int] = ...) -> None: ...

class Ack(_message.Message):
    __slots__ = ("sequence", "match_index")
    SEQUENCE_FIELD_NUMBER: _ClassVar[int]
    MATCH_INDEX_FIELD_NUMBER: _ClassVar[int]
    sequence: int
    match_index: int
    def __init__(self, sequence: _Optional[int] = ..., match_index: _Optional[int] = ...) -> None: ...

class ControlRequest(_message.Message):
    __slots__ = ("pause", "resume", "step", "seek", "set_rate", "set_loop", "next_game")
    class Pause(_message.Message):
        __slots__ = ()
        def __init__(self) -> None: ...
    class Resume(_message.Message):
        __slots__ = ()
        def __init__(self) -> None: ...
    class Step(_message.Message):
        __slots__ = ("frames",)
        FRAMES_FIELD_NUMBER: _ClassVar[int]
        frames: int
        def __init__(self, frames: _Optional[int] = ...) -> None: ...
    class Seek(_message.Message):
        __slots__ = ("game_loop",)
        GAME_LOOP_FIELD_NUMBER: _ClassVar[int]
        game_loop: int
        def __init__(self, game_loop: _Optional[int] = ...) -> None: ...
    class SetRate(_message.Message):
        __slots__ = ("rate",)
        RATE_FIELD_NUMBER: _ClassVar[int]
        rate: float
        def __init__(self, rate: _Optional[float] = ...) -> None: ...
    class SetLoop(_message.Message):
        __slots__ = ("loop",)
        LOOP_FIELD_NUMBER: _ClassVar[int]
        loop: bool
        def __init__(self, loop: bool = ...) -> None: ...
    class NextGame(_message.Message):
        __slots__ = ("seed",)
        SEED_FIELD_NUMBER: _ClassVar[int]
        seed: int
        def __init__(self, seed: _Optional[int] = ...) -> None: ...
    PAUSE_FIELD_NUMBER: _ClassVar[int]
    RESUME_FIELD_NUMBER: _ClassVar[int]
    STEP_FIELD_NUMBER: _ClassVar[int]
    SEEK_FIELD_NUMBER: _ClassVar[int]
    SET_RATE_FIELD_NUMBER: _ClassVar[int]
    SET_LOOP_FIELD_NUMBER: _ClassVar[int]
    NEXT_GAME_FIELD_NUMBER: _ClassVar[int]
    pause: ControlRequest.Pause
    resume: ControlRequest.Resume
    step: ControlRequest.Step
    seek: ControlRequest.Seek
    set_rate: ControlRequest.SetRate
    set_loop: ControlRequest.SetLoop
    next_game: ControlRequest.NextGame
    def __init__(self, pause: _Optional[_Union[ControlRequest.Pause, _Mapping[str, _Any]]] = ..., resume: _Optional[_Union[ControlRequest.Resume, _Mapping[str, _Any]]] = ..., step: _Optional[_Union[ControlRequest.Step, _Mapping[str, _Any]]] = ..., seek: _Optional[_Union[ControlRequest.Seek, _Mapping[str, _Any]]] = ..., set_rate: _Optional[_Union[ControlRequest.SetRate, _Mapping[str, _Any]]] = ..., set_loop: _Optional[_Union[ControlRequest.SetLoop, _Mapping[str, _Any]]] = ..., next_game: _Optional[_Union[ControlRequest.NextGame, _Mapping[str, _Any]]] = ...) -> None: ...

class PlaybackState(_message.Message):
    __slots__ = ("paused", "rate", "game_loop", "sequence", "first_game_loop", "last_game_loop", "ended", "loop")
    PAUSED_FIELD_NUMBER: _ClassVar[int]
    RATE_FIELD_NUMBER: _ClassVar[int]
    GAME_LOOP_FIELD_NUMBER: _ClassVar[int]
    SEQUENCE_FIELD_NUMBER: _ClassVar[int]
    FIRST_GAME_LOOP_FIELD_NUMBER: _ClassVar[int]
    LAST_GAME_LOOP_FIELD_NUMBER: _ClassVar[int]
    ENDED_FIELD_NUMBER: _ClassVar[int]
    LOOP_FIELD_NUMBER: _ClassVar[int]
    paused: bool
    rate: float
    game_loop: int
    sequence: int
    first_game_loop: int
    last_game_loop: int
    ended: bool
    loop: bool
    def __init__(self, paused: bool = ..., rate: _Optional[float] = ..., game_loop: _Optional[int] = ..., sequence: _Optional[int] = ..., first_game_loop: _Optional[int] = ..., last_game_loop: _Optional[int] = ..., ended: bool = ..., loop: bool = ...) -> None: ...

class Status(_message.Message):
    __slots__ = ("match", "playback", "subscribers", "frames_published", "bytes_published", "bytes_sent", "frames_per_second", "process", "actions", "recording", "frame_budget", "history", "delay", "waiting")
    MATCH_FIELD_NUMBER: _ClassVar[int]
    PLAYBACK_FIELD_NUMBER: _ClassVar[int]
    SUBSCRIBERS_FIELD_NUMBER: _ClassVar[int]
    FRAMES_PUBLISHED_FIELD_NUMBER: _ClassVar[int]
    BYTES_PUBLISHED_FIELD_NUMBER: _ClassVar[int]
    BYTES_SENT_FIELD_NUMBER: _ClassVar[int]
    FRAMES_PER_SECOND_FIELD_NUMBER: _ClassVar[int]
    PROCESS_FIELD_NUMBER: _ClassVar[int]
    ACTIONS_FIELD_NUMBER: _ClassVar[int]
    RECORDING_FIELD_NUMBER: _ClassVar[int]
    FRAME_BUDGET_FIELD_NUMBER: _ClassVar[int]
    HISTORY_FIELD_NUMBER: _ClassVar[int]
    DELAY_FIELD_NUMBER: _ClassVar[int]
    WAITING_FIELD_NUMBER: _ClassVar[int]
    match: Match
    playback: PlaybackState
    subscribers: _containers.RepeatedCompositeFieldContainer[SubscriberStatus]
    frames_published: int
    bytes_published: int
    bytes_sent: int
    frames_per_second: float
    process: ProcessStatus
    actions: ActionStatus
    recording: RecordingStatus
    frame_budget: FrameBudget
    history: HistoryStatus
    delay: _duration_pb2.Duration
    waiting: WaitStatus
    def __init__(self, match: _Optional[_Union[Match, _Mapping[str, _Any]]] = ..., playback: _Optional[_Union[PlaybackState, _Mapping[str, _Any]]] = ..., subscribers: _Optional[_Iterable[_Union[SubscriberStatus, _Mapping[str, _Any]]]] = ..., frames_published: _Optional[int] = ..., bytes_published: _Optional[int] = ..., bytes_sent: _Optional[int] = ..., frames_per_second: _Optional[float] = ..., process: _Optional[_Union[ProcessStatus, _Mapping[str, _Any]]] = ..., actions: _Optional[_Union[ActionStatus, _Mapping[str, _Any]]] = ..., recording: _Optional[_Union[RecordingStatus, _Mapping[str, _Any]]] = ..., frame_budget: _Optional[_Union[FrameBudget, _Mapping[str, _Any]]] = ..., history: _Optional[_Union[HistoryStatus, _Mapping[str, _Any]]] = ..., delay: _Optional[_Union[datetime.timedelta, _duration_pb2.Duration, _Mapping[str, _Any]]] = ..., waiting: _Optional[_Union[WaitStatus, _Mapping[str, _Any]]] = ...) -> None: ...

class WaitStatus(_message.Message):
    __slots__ = ("missing", "bot_address", "game_address")
    MISSING_FIELD_NUMBER: _ClassVar[int]
    BOT_ADDRESS_FIELD_NUMBER: _ClassVar[int]
    GAME_ADDRESS_FIELD_NUMBER: _ClassVar[int]
    missing: Missing
    bot_address: str
    game_address: str
    def __init__(self, missing: _Optional[_Union[Missing, str]] = ..., bot_address: _Optional[str] = ..., game_address: _Optional[str] = ...) -> None: ...

class HistoryStatus(_message.Message):
    __slots__ = ("frames", "bytes", "first_game_loop", "last_game_loop")
    FRAMES_FIELD_NUMBER: _ClassVar[int]
    BYTES_FIELD_NUMBER: _ClassVar[int]
    FIRST_GAME_LOOP_FIELD_NUMBER: _ClassVar[int]
    LAST_GAME_LOOP_FIELD_NUMBER: _ClassVar[int]
    frames: int
    bytes: int
    first_game_loop: int
    last_game_loop: int
    def __init__(self, frames: _Optional[int] = ..., bytes: _Optional[int] = ..., first_game_loop: _Optional[int] = ..., last_game_loop: _Optional[int] = ...) -> None: ...

class ActionStatus(_message.Message):
    __slots__ = ("given", "failed", "late", "refused")
    GIVEN_FIELD_NUMBER: _ClassVar[int]
    FAILED_FIELD_NUMBER: _ClassVar[int]
    LATE_FIELD_NUMBER: _ClassVar[int]
    REFUSED_FIELD_NUMBER: _ClassVar[int]
    given: int
    failed: int
    late: int
    refused: int
    def __init__(self, given: _Optional[int] = ..., failed: _Optional[int] = ..., late: _Optional[int] = ..., refused: _Optional[int] = ...) -> None: ...

class RecordingStatus(_message.Message):
    __slots__ = ("path", "frames", "frames_dropped", "error")
    PATH_FIELD_NUMBER: _ClassVar[int]
    FRAMES_FIELD_NUMBER: _ClassVar[int]
    FRAMES_DROPPED_FIELD_NUMBER: _ClassVar[int]
    ERROR_FIELD_NUMBER: _ClassVar[int]
    path: str
    frames: int
    frames_dropped: int
    error: str
    def __init__(self, path: _Optional[str] = ..., frames: _Optional[int] = ..., frames_dropped: _Optional[int] = ..., error: _Optional[str] = ...) -> None: ...

class FrameBudget(_message.Message):
    __slots__ = ("game", "bot", "daemon", "agent", "skipped_game_loops", "limits", "query")
    class Limit(_message.Message):
        __slots__ = ("name", "ms", "frames_over")
        NAME_FIELD_NUMBER: _ClassVar[int]
        MS_FIELD_NUMBER: _ClassVar[int]
        FRAMES_OVER_FIELD_NUMBER: _ClassVar[int]
        name: str
        ms: float
        frames_over: int
        def __init__(self, name: _Optional[str] = ..., ms: _Optional[float] = ..., frames_over: _Optional[int] = ...) -> None: ...
    class Share(_message.Message):
        __slots__ = ("frames", "mean_ms", "p50_ms", "p99_ms", "max_ms")
        FRAMES_FIELD_NUMBER: _ClassVar[int]
        MEAN_MS_FIELD_NUMBER: _ClassVar[int]
        P50_MS_FIELD_NUMBER: _ClassVar[int]
        P99_MS_FIELD_NUMBER: _ClassVar[int]
        MAX_MS_FIELD_NUMBER: _ClassVar[int]
        frames: int
        mean_ms: float
        p50_ms: float
        p99_ms: float
        max_ms: float
        def __init__(self, frames: _Optional[int] = ..., mean_ms: _Optional[float] = ..., p50_ms: _Optional[float] = ..., p99_ms: _Optional[float] = ..., max_ms: _Optional[float] = ...) -> None: ...
    GAME_FIELD_NUMBER: _ClassVar[int]
    BOT_FIELD_NUMBER: _ClassVar[int]
    DAEMON_FIELD_NUMBER: _ClassVar[int]
    AGENT_FIELD_NUMBER: _ClassVar[int]
    SKIPPED_GAME_LOOPS_FIELD_NUMBER: _ClassVar[int]
    LIMITS_FIELD_NUMBER: _ClassVar[int]
    QUERY_FIELD_NUMBER: _ClassVar[int]
    game: FrameBudget.Share
    bot: FrameBudget.Share
    daemon: FrameBudget.Share
    agent: FrameBudget.Share
    skipped_game_loops: int
    limits: _containers.RepeatedCompositeFieldContainer[FrameBudget.Limit]
    query: FrameBudget.Share
    def __init__(self, game: _Optional[_Union[FrameBudget.Share, _Mapping[str, _Any]]] = ..., bot: _Optional[_Union[FrameBudget.Share, _Mapping[str, _Any]]] = ..., daemon: _Optional[_Union[FrameBudget.Share, _Mapping[str, _Any]]] = ..., agent: _Optional[_Union[FrameBudget.Share, _Mapping[str, _Any]]] = ..., skipped_game_loops: _Optional[int] = ..., limits: _Optional[_Iterable[_Union[FrameBudget.Limit, _Mapping[str, _Any]]]] = ..., query: _Optional[_Union[FrameBudget.Share, _Mapping[str, _Any]]] = ...) -> None: ...

class SubscriberStatus(_message.Message):
    __slots__ = ("id", "name", "transport", "peer", "policy", "encoding", "compression", "frames_sent", "frames_dropped", "bytes_sent", "frames_waiting", "lag_game_loops", "keyframes")
    ID_FIELD_NUMBER: _ClassVar[int]
    NAME_FIELD_NUMBER: _ClassVar[int]
    TRANSPORT_FIELD_NUMBER: _ClassVar[int]
    PEER_FIELD_NUMBER: _ClassVar[int]
    POLICY_FIELD_NUMBER: _ClassVar[int]
    ENCODING_FIELD_NUMBER: _ClassVar[int]
    COMPRESSION_FIELD_NUMBER: _ClassVar[int]
    FRAMES_SENT_FIELD_NUMBER: _ClassVar[int]
    FRAMES_DROPPED_FIELD_NUMBER: _ClassVar[int]
    BYTES_SENT_FIELD_NUMBER: _ClassVar[int]
    FRAMES_WAITING_FIELD_NUMBER: _ClassVar[int]
    LAG_GAME_LOOPS_FIELD_NUMBER: _ClassVar[int]
    KEYFRAMES_FIELD_NUMBER: _ClassVar[int]
    id: int
    name: str
    transport: str
    peer: str
    policy: Policy
    encoding: Encoding
    compression: Compression
    frames_sent: int
    frames_dropped: int
    bytes_sent: int
    frames_waiting: int
    lag_game_loops: int
    keyframes: int
    def __init__(self, id: _Optional[int] = ..., name: _Optional[str] = ..., transport: _Optional[str] = ..., peer: _Optional[str] = ..., policy: _Optional[_Union[Policy, str]] = ..., encoding: _Optional[_Union[Encoding, str]] = ..., compression: _Optional[_Union[Compression, str]] = ..., frames_sent: _Optional[int] = ..., frames_dropped: _Optional[int] = ..., bytes_sent: _Optional[int] = ..., frames_waiting: _Optional[int] = ..., lag_game_loops: _Optional[int] = ..., keyframes: _Optional[int] = ...) -> None: ...

class ProcessStatus(_message.Message):
    __slots__ = ("version", "uptime", "cpu_time", "allocated_bytes", "working_set_bytes", "peak_working_set_bytes")
    VERSION_FIELD_NUMBER: _ClassVar[int]
    UPTIME_FIELD_NUMBER: _ClassVar[int]
    CPU_TIME_FIELD_NUMBER: _ClassVar[int]
    ALLOCATED_BYTES_FIELD_NUMBER: _ClassVar[int]
    WORKING_SET_BYTES_FIELD_NUMBER: _ClassVar[int]
    PEAK_WORKING_SET_BYTES_FIELD_NUMBER: _ClassVar[int]
    version: str
    uptime: _duration_pb2.Duration
    cpu_time: _duration_pb2.Duration
    allocated_bytes: int
    working_set_bytes: int
    peak_working_set_bytes: int
    def __init__(self, version: _Optional[str] = ..., uptime: _Optional[_Union[datetime.timedelta, _duration_pb2.Duration, _Mapping[str, _Any]]] = ..., cpu_time: _Optional[_Union[datetime.timedelta, _duration_pb2.Duration, _Mapping[str, _Any]]] = ..., allocated_bytes: _Optional[int] = ..., working_set_bytes: _Optional[int] = ..., peak_working_set_bytes: _Optional[int] = ...) -> None: ...

class ClientMessage(_message.Message):
    __slots__ = ("id", "subscribe", "act", "control", "ack", "publish", "draw", "status", "query", "timeline", "plot", "plots", "matches", "token")
    ID_FIELD_NUMBER: _ClassVar[int]
    SUBSCRIBE_FIELD_NUMBER: _ClassVar[int]
    ACT_FIELD_NUMBER: _ClassVar[int]
    CONTROL_FIELD_NUMBER: _ClassVar[int]
    ACK_FIELD_NUMBER: _ClassVar[int]
    PUBLISH_FIELD_NUMBER: _ClassVar[int]
    DRAW_FIELD_NUMBER: _ClassVar[int]
    STATUS_FIELD_NUMBER: _ClassVar[int]
    QUERY_FIELD_NUMBER: _ClassVar[int]
    TIMELINE_FIELD_NUMBER: _ClassVar[int]
    PLOT_FIELD_NUMBER: _ClassVar[int]
    PLOTS_FIELD_NUMBER: _ClassVar[int]
    MATCHES_FIELD_NUMBER: _ClassVar[int]
    TOKEN_FIELD_NUMBER: _ClassVar[int]
    id: int
    subscribe: SubscribeRequest
    act: ActRequest
    control: ControlRequest
    ack: Ack
    publish: PublishStart
    draw: DrawRequest
    status: GetStatusRequest
    query: QueryRequest
    timeline: GetTimelineRequest
    plot: PlotRequest
    plots: GetPlotsRequest
    matches: GetMatchesRequest
    token: str
    def __init__(self, id: _Optional[int] = ..., subscribe: _Optional[_Union[SubscribeRequest, _Mapping[str, _Any]]] = ..., act: _Optional[_Union[ActRequest, _Mapping[str, _Any]]] = ..., control: _Optional[_Union[ControlRequest, _Mapping[str, _Any]]] = ..., ack: _Optional[_Union[Ack, _Mapping[str, _Any]]] = ..., publish: _Optional[_Union[PublishStart, _Mapping[str, _Any]]] = ..., draw: _Optional[_Union[DrawRequest, _Mapping[str, _Any]]] = ..., status: _Optional[_Union[GetStatusRequest, _Mapping[str, _Any]]] = ..., query: _Optional[_Union[QueryRequest, _Mapping[str, _Any]]] = ..., timeline: _Optional[_Union[GetTimelineRequest, _Mapping[str, _Any]]] = ..., plot: _Optional[_Union[PlotRequest, _Mapping[str, _Any]]] = ..., plots: _Optional[_Union[GetPlotsRequest, _Mapping[str, _Any]]] = ..., matches: _Optional[_Union[GetMatchesRequest, _Mapping[str, _Any]]] = ..., token: _Optional[str] = ...) -> None: ...

class ServerMessage(_message.Message):
    __slots__ = ("match", "frame", "result", "error", "end", "published", "drawings", "match_ended")
    MATCH_FIELD_NUMBER: _ClassVar[int]
    FRAME_FIELD_NUMBER: _ClassVar[int]
    RESULT_FIELD_NUMBER: _ClassVar[int]
    ERROR_FIELD_NUMBER: _ClassVar[int]
    END_FIELD_NUMBER: _ClassVar[int]
    PUBLISHED_FIELD_NUMBER: _ClassVar[int]
    DRAWINGS_FIELD_NUMBER: _ClassVar[int]
    MATCH_ENDED_FIELD_NUMBER: _ClassVar[int]
    match: Match
    frame: Frame
    result: Result
    error: Error
    end: End
    published: PublishResult
    drawings: Drawings
    match_ended: MatchEnded
    def __init__(self, match: _Optional[_Union[Match, _Mapping[str, _Any]]] = ..., frame: _Optional[_Union[Frame, _Mapping[str, _Any]]] = ..., result: _Optional[_Union[Result, _Mapping[str, _Any]]] = ..., error: _Optional[_Union[Error, _Mapping[str, _Any]]] = ..., end: _Optional[_Union[End, _Mapping[str, _Any]]] = ..., published: _Optional[_Union[PublishResult, _Mapping[str, _Any]]] = ..., drawings: _Optional[_Union[Drawings, _Mapping[str, _Any]]] = ..., match_ended: _Optional[_Union[MatchEnded, _Mapping[str, _Any]]] = ...) -> None: ...

class Result(_message.Message):
    __slots__ = ("id", "act", "control", "draw", "status", "query", "timeline", "plot", "plots", "matches")
    ID_FIELD_NUMBER: _ClassVar[int]
    ACT_FIELD_NUMBER: _ClassVar[int]
    CONTROL_FIELD_NUMBER: _ClassVar[int]
    DRAW_FIELD_NUMBER: _ClassVar[int]
    STATUS_FIELD_NUMBER: _ClassVar[int]
    QUERY_FIELD_NUMBER: _ClassVar[int]
    TIMELINE_FIELD_NUMBER: _ClassVar[int]
    PLOT_FIELD_NUMBER: _ClassVar[int]
    PLOTS_FIELD_NUMBER: _ClassVar[int]
    MATCHES_FIELD_NUMBER: _ClassVar[int]
    id: int
    act: ActResult
    control: PlaybackState
    draw: DrawResult
    status: Status
    query: QueryResult
    timeline: Timeline
    plot: PlotResult
    plots: Plots
    matches: MatchList
    def __init__(self, id: _Optional[int] = ..., act: _Optional[_Union[ActResult, _Mapping[str, _Any]]] = ..., control: _Optional[_Union[PlaybackState, _Mapping[str, _Any]]] = ..., draw: _Optional[_Union[DrawResult, _Mapping[str, _Any]]] = ..., status: _Optional[_Union[Status, _Mapping[str, _Any]]] = ..., query: _Optional[_Union[QueryResult, _Mapping[str, _Any]]] = ..., timeline: _Optional[_Union[Timeline, _Mapping[str, _Any]]] = ..., plot: _Optional[_Union[PlotResult, _Mapping[str, _Any]]] = ..., plots: _Optional[_Union[Plots, _Mapping[str, _Any]]] = ..., matches: _Optional[_Union[MatchList, _Mapping[str, _Any]]] = ...) -> None: ...

class Error(_message.Message):
    __slots__ = ("id", "code", "message", "fatal")
    ID_FIELD_NUMBER: _ClassVar[int]
    CODE_FIELD_NUMBER: _ClassVar[int]
    MESSAGE_FIELD_NUMBER: _ClassVar[int]
    FATAL_FIELD_NUMBER: _ClassVar[int]
    id: int
    code: str
    message: str
    fatal: bool
    def __init__(self, id: _Optional[int] = ..., code: _Optional[str] = ..., message: _Optional[str] = ..., fatal: bool = ...) -> None: ...

class End(_message.Message):
    __slots__ = ("reason",)
    REASON_FIELD_NUMBER: _ClassVar[int]
    reason: str
    def __init__(self, reason: _Optional[str] = ...) -> None: ...

class Event(_message.Message):
    __slots__ = ("game_loop", "match_started", "match_ended", "stepped")
    class MatchStarted(_message.Message):
        __slots__ = ()
        def __init__(self) -> None: ...
    class MatchEnded(_message.Message):
        __slots__ = ("player_result",)
        PLAYER_RESULT_FIELD_NUMBER: _ClassVar[int]
        player_result: _containers.RepeatedCompositeFieldContainer[_sc2api_pb2.PlayerResult]
        def __init__(self, player_result: _Optional[_Iterable[_Union[_sc2api_pb2.PlayerResult, _Mapping[str, _Any]]]] = ...) -> None: ...
    class Stepped(_message.Message):
        __slots__ = ("count",)
        COUNT_FIELD_NUMBER: _ClassVar[int]
        count: int
        def __init__(self, count: _Optional[int] = ...) -> None: ...
    GAME_LOOP_FIELD_NUMBER: _ClassVar[int]
    MATCH_STARTED_FIELD_NUMBER: _ClassVar[int]
    MATCH_ENDED_FIELD_NUMBER: _ClassVar[int]
    STEPPED_FIELD_NUMBER: _ClassVar[int]
    game_loop: int
    match_started: Event.MatchStarted
    match_ended: Event.MatchEnded
    stepped: Event.Stepped
    def __init__(self, game_loop: _Optional[int] = ..., match_started: _Optional[_Union[Event.MatchStarted, _Mapping[str, _Any]]] = ..., match_ended: _Optional[_Union[Event.MatchEnded, _Mapping[str, _Any]]] = ..., stepped: _Optional[_Union[Event.Stepped, _Mapping[str, _Any]]] = ...) -> None: ...
