package org.segno.engine.job;

import java.nio.ByteBuffer;

/**
 * What two hubs say to each other before their first frame: each proves that it knows the job's secret, by an
 * HMAC-SHA-256 over a number that the other one has drawn.
 *
 * <pre>
 *  from          length  content
 *  caller             8  magic and version, big-endian
 *  caller            32  number drawn by the caller
 *  job's hub         32  number drawn by the hub
 *  job's hub         32  proof of the hub
 *  caller            32  proof of the caller
 * </pre>
 */
final class HubHandshake {
    static final int NUMBER_LENGTH = 32;
    static final int GREETING_LENGTH = Long.BYTES + NUMBER_LENGTH;
    static final int ANSWER_LENGTH = NUMBER_LENGTH + JobSecret.LENGTH;

    private static final long MAGIC = 0x7365676e_6f480000L | HubConnection.Frame.VERSION;
    private static final String HUB = "segno hub";
    private static final String CALLER = "segno host";

    private HubHandshake() {}

    static byte[] draw() {
        return JobSecret.random().bytes();
    }

    static ByteBuffer greeting(byte[] callersNumber) {
        return ByteBuffer.allocate(GREETING_LENGTH)
                .putLong(MAGIC)
                .put(callersNumber)
                .flip();
    }

    /** Returns true if a greeting is that of a hub of this version. */
    static boolean isGreeting(ByteBuffer greeting) {
        return greeting.getLong(0) == MAGIC;
    }

    static byte[] callersNumber(ByteBuffer greeting) {
        return bytes(greeting, Long.BYTES, NUMBER_LENGTH);
    }

    static ByteBuffer answer(JobSecret secret, byte[] callersNumber, byte[] hubsNumber) {
        return ByteBuffer.allocate(ANSWER_LENGTH)
                .put(hubsNumber)
                .put(secret.proof(HUB, callersNumber, hubsNumber))
                .flip();
    }

    static byte[] hubsNumber(ByteBuffer answer) {
        return bytes(answer, 0, NUMBER_LENGTH);
    }

    /** Returns true if an answer comes from a hub with this secret. */
    static boolean isProven(JobSecret secret, byte[] callersNumber, ByteBuffer answer) {
        return JobSecret.areEqual(
                secret.proof(HUB, callersNumber, hubsNumber(answer)), bytes(answer, NUMBER_LENGTH, JobSecret.LENGTH));
    }

    /** Returns the proof of the caller. */
    static byte[] callersProof(JobSecret secret, byte[] callersNumber, byte[] hubsNumber) {
        return secret.proof(CALLER, hubsNumber, callersNumber);
    }

    private static byte[] bytes(ByteBuffer buffer, int offset, int length) {
        final byte[] bytes = new byte[length];
        buffer.get(offset, bytes);
        return bytes;
    }
}
