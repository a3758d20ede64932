package org.segno.transport.aeron;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;
import org.agrona.concurrent.UnsafeBuffer;
import org.segno.engine.packet.Frame;

/**
 * Key of one direction of a link, which both of its ends have and nobody else. The sender tags its datagrams with it,
 * and the receiver its reports to the sender; each refuses what has no such tag.
 *
 * @param session Aeron's session of the direction's streams
 * @param low first half of the key of the tags
 * @param high second half of it
 */
public record LinkKey(int session, long low, long high) {
    private static final String ALGORITHM = "HmacSHA256";
    private static final byte[] PURPOSE = "segno link".getBytes(StandardCharsets.US_ASCII);

    /**
     * Derives the key of the frames that one rank sends to another, from the secret of their job.
     *
     * @param secret random bytes that the job's ranks alone have, at least 16
     * @param jobHigh first half of the job's id
     * @param jobLow second half of the job's id
     * @param from rank that sends
     * @param to rank that receives
     * @param engine number of the engine at both ends
     * @throws IllegalArgumentException if the secret is too short
     */
    public static LinkKey derive(byte[] secret, long jobHigh, long jobLow, int from, int to, int engine) {
        if (secret.length < 16) {
            throw new IllegalArgumentException(
                    "the secret of a job must have at least 16 bytes: length=" + secret.length);
        }
        final ByteBuffer message = ByteBuffer.allocate(PURPOSE.length + 2 * Long.BYTES + 3 * Integer.BYTES)
                .put(PURPOSE)
                .putLong(jobHigh)
                .putLong(jobLow)
                .putInt(from)
                .putInt(to)
                .putInt(engine);
        final ByteBuffer derived = ByteBuffer.wrap(hmac(secret, message.array()));
        return new LinkKey(derived.getInt(), derived.getLong(), derived.getLong());
    }

    private static byte[] hmac(byte[] secret, byte[] message) {
        try {
            final Mac mac = Mac.getInstance(ALGORITHM);
            mac.init(new SecretKeySpec(secret, ALGORITHM));
            return mac.doFinal(message);
        } catch (final GeneralSecurityException e) {
            throw new IllegalStateException("the Java runtime has no " + ALGORITHM, e);
        }
    }

    /** Returns the hash under this key. */
    SipHash hash() {
        return new SipHash(low, high);
    }

    /**
     * Returns Aeron's first term of a stream. A message that sets up a stream has no room for a tag, but names this
     * number, which only the key yields.
     */
    int initialTermId(int stream) {
        final UnsafeBuffer message = new UnsafeBuffer(new byte[Long.BYTES]);
        message.putLong(0, stream + (long) Frame.STREAMS);
        return (int) hash().hash(message, 0, Long.BYTES);
    }

    /** Returns a text without the key. */
    @Override
    public String toString() {
        return "LinkKey[...]";
    }
}
