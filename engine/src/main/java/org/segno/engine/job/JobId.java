package org.segno.engine.job;

import java.nio.charset.StandardCharsets;
import java.security.SecureRandom;

/**
 * Id that distinguishes one run of a job from every other: 128 random bits, generated for each job directory and
 * written into every node file.
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

    /** Returns a new random id that no other job has. */
    public static JobId random() {
        return new JobId(CHANCE.nextLong(), CHANCE.nextLong());
    }

    /** Returns bytes that nobody can guess. */
    static byte[] chance(int length) {
        final byte[] bytes = new byte[length];
        CHANCE.nextBytes(bytes);
        return bytes;
    }

    /**
     * Returns a job name that no running job has, for a launcher: the prefix, a hyphen and 16 hexadecimal digits.
     *
     * @param prefix the part by which the user recognizes the job
     */
    public static String uniqueName(String prefix) {
        return prefix + '-' + hex(CHANCE.nextLong());
    }

    /**
     * Parses the text that {@link #toString()} returns.
     *
     * @param text 32 hexadecimal digits
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

    /** Returns a short name unchanged, a long one as its beginning and hash: the path of a socket is limited. */
    public static String shortened(String jobName) {
        return jobName.length() <= NAME_LIMIT ? jobName : jobName.substring(0, HEAD_LENGTH) + '-' + hex(hash(jobName));
    }

    /** Returns the end of the directory's name: the job's name with its own 16 digits, or with those of its hash. */
    static String withDigits(String jobName) {
        return jobName.matches(".+-[0-9a-f]{16}") ? jobName : jobName + '-' + hex(hash(jobName));
    }

    /** Returns the FNV-1a hash: every process must compute the same digits, whatever its JDK. */
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
