package abathur.bench;

import SC2APIProtocol.Sc2Api.ResponseObservation;
import java.io.IOException;
import java.util.List;

/**
 * One row: a way to encode and decode an observation.
 *
 * @param <T> what a program of the library has: messages or plain objects
 */
public interface Codec<T> {
    /** The object to encode. Not timed. */
    T prepare(ResponseObservation message) throws IOException;

    byte[] encode(T object) throws IOException;

    T decode(byte[] data) throws IOException;

    /** Reads every field. */
    void touch(T decoded, Sums sums);

    /** The decoded object as a message, for the check. Not timed. */
    ResponseObservation message(T decoded) throws IOException;

    /** How the library is used. */
    List<String> footnotes();

    /** What the format leaves away. */
    List<String> cannotCarry();
}
