package abathur.bench;

import abathur.bench.plain.PlainConversion;
import abathur.bench.plain.ResponseObservation;
import abathur.bench.touch.TouchPlain;
import java.io.IOException;

/** Rows that start from plain objects and end at them. */
abstract class PlainCodec implements Codec<ResponseObservation> {
    static final String PLAIN_OBJECTS =
        "Plain objects: private fields, getters and setters, a box for each scalar so that an absent field is null, ArrayList. Unsigned"
            + " numbers are Java's signed ones of the same bits.";

    @Override
    public ResponseObservation prepare(SC2APIProtocol.Sc2Api.ResponseObservation message) {
        return PlainConversion.toPlain(message);
    }

    @Override
    public void touch(ResponseObservation decoded, Sums sums) {
        TouchPlain.read(decoded, sums);
    }

    @Override
    public SC2APIProtocol.Sc2Api.ResponseObservation message(ResponseObservation decoded) throws IOException {
        return PlainConversion.toProtobuf(decoded);
    }
}
