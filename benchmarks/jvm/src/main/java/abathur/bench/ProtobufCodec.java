package abathur.bench;

import SC2APIProtocol.Sc2Api.ResponseObservation;
import abathur.bench.touch.TouchMessage;
import java.io.IOException;
import java.util.List;

/** Row `protobuf`: generated messages. */
class ProtobufCodec implements Codec<ResponseObservation> {
    @Override
    public ResponseObservation prepare(ResponseObservation message) throws IOException {
        return message;
    }

    @Override
    public byte[] encode(ResponseObservation object) throws IOException {
        return object.toByteArray();
    }

    @Override
    public ResponseObservation decode(byte[] data) throws IOException {
        return ResponseObservation.parseFrom(data);
    }

    @Override
    public void touch(ResponseObservation decoded, Sums sums) {
        TouchMessage.read(decoded, sums);
    }

    @Override
    public ResponseObservation message(ResponseObservation decoded) {
        return decoded;
    }

    @Override
    public List<String> footnotes() {
        return List.of(
            "Generated classes: toByteArray and parseFrom. A message remembers its size once it is encoded, so each is encoded once only.");
    }

    @Override
    public List<String> cannotCarry() {
        return List.of();
    }
}
