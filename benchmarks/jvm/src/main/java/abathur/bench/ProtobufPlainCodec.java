package abathur.bench;

import abathur.bench.plain.PlainConversion;
import abathur.bench.plain.ResponseObservation;
import java.io.IOException;
import java.util.List;

/** Row `protobuf-plain`: plain objects to messages to bytes, and back. */
final class ProtobufPlainCodec extends PlainCodec {
    @Override
    public byte[] encode(ResponseObservation object) {
        return PlainConversion.toProtobuf(object).toByteArray();
    }

    @Override
    public ResponseObservation decode(byte[] data) throws IOException {
        return PlainConversion.toPlain(SC2APIProtocol.Sc2Api.ResponseObservation.parseFrom(data));
    }

    @Override
    public List<String> footnotes() {
        return List.of(
            "The plain objects of the JSON rows to generated messages to bytes, and back, by a generated line for each field: what a program"
                + " pays that keeps the messages out of its own code.",
            PLAIN_OBJECTS);
    }

    @Override
    public List<String> cannotCarry() {
        return List.of("unknown fields");
    }
}
