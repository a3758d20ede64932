package org.segno.job;

import java.nio.charset.StandardCharsets;
import java.security.SecureRandom;

/**
 * What tells one run of a job from every other: 128 random bits, made anew with each job directory and written into every
 * node file.
 *
 * @param high the upper 64 bits
 * @param low the lower 64 bits
 */
public record JobId(long high, long low) {
    private static final int HEX_LENGTH = 32;
    private static final SecureRandom CHANCE = new SecureRandom();
    private static final int NAME_LIMIT = 48;
    private static final int HEAD_LENGTH = 24;
    private static final long HASH_START = 0xcbf29ce484222325L;
    private static final long HASH_FACTOR = 0x100000001b3L;

    /**
     * Makes an id that no other job has.
     *
     * @return a new random id
     */
    public static JobId random() {
        return new JobId(CHANCE.nextLong(), CHANCE.nextLong());
    }

    /**
     * Makes a job name that no running job has: what a launcher calls its job.
     *
     * @param prefix what the user recognizes the job by
     * @return the prefix, a hyphen and 16 hexadecimal digits
     */
    public static String uniqueName(String prefix) {
        return prefix + '-' + hex(CHANCE.nextLong());
    }

    /**
     * Reads what {@link #toString()} wrote.
     *
     * @param text 32 hexadecimal digits
     * @return the id
     * @throws IllegalArgumentException if the text is not an id
     */
    public static JobId parse(String text) {
        if (text.length() != HEX_LENGTH) {
            throw new IllegalArgumentException("a job id has " + HEX_LENGTH + " hexadecimal digits: " + text);
        }
        final int middle = HEX_LENGTH / 2;
        return new JobId(
                Long.parseUnsignedLong(text.substring(0, middle), 16),
                Long.parseUnsignedLong(text.substring(middle), 16));
    }

    /** The name as it is, or where it is long its beginning and the digits of its hash: the path to a socket is short. */
    static String shortened(String jobName) {
        return jobName.length() <= NAME_LIMIT ? jobName : jobName.substring(0, HEAD_LENGTH) + '-' + hex(hash(jobName));
    }

    /** The name as it ends in the directory's name: with its own 16 digits, or with those of its hash. */
    static String withDigits(String jobName) {
        return jobName.matches(".+-[0-9a-f]{16}") ? jobName : jobName + '-' + hex(hash(jobName));
    }

    /** FNV-1a: every process must come to the same digits, whatever its JDK. */
    private static long hash(String text) {
        long hash = HASH_START;
        for (final byte letter : text.getBytes(StandardCharsets.UTF_8)) {
            hash = (hash ^ (letter & 0xff)) * HASH_FACTOR;
        }
        return hash;
    }

    private static String hex(long bits) {
        return String.format("%016x", bits);
    }

    @Override
    public String toString() {
        return hex(high) + hex(low);
    }
}
