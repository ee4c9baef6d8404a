package abathur.bench;

import SC2APIProtocol.Sc2Api.ResponseObservation;
import com.google.protobuf.util.JsonFormat;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;

/** Row `protojson`: JSON of protobuf-java-util. */
final class ProtoJsonCodec extends ProtobufCodec {
    private final JsonFormat.Printer printer = JsonFormat.printer().omittingInsignificantWhitespace();
    private final JsonFormat.Parser parser = JsonFormat.parser();

    @Override
    public byte[] encode(ResponseObservation object) throws IOException {
        return printer.print(object).getBytes(StandardCharsets.UTF_8);
    }

    @Override
    public ResponseObservation decode(byte[] data) throws IOException {
        var builder = ResponseObservation.newBuilder();
        parser.merge(new String(data, StandardCharsets.UTF_8), builder);
        return builder.build();
    }

    @Override
    public List<String> footnotes() {
        return List.of(
            "JsonFormat.printer().omittingInsignificantWhitespace() and JsonFormat.parser(), by way of a String: camelCase names, enums by"
                + " name, 64-bit numbers as text.");
    }

    @Override
    public List<String> cannotCarry() {
        return List.of("unknown fields", "enum values of a newer game");
    }
}
