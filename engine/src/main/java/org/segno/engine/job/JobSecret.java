package org.segno.engine.job;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.util.EnumSet;
import java.util.HexFormat;
import java.util.Set;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;
import org.segno.status.SegnoException;

/**
 * Secret of a job, which its hubs share. They prove it to each other, and the keys of links are derived from it. It
 * never leaves a process in an argument, a variable or a log.
 */
public final class JobSecret {
    /** Length in bytes. */
    public static final int LENGTH = 32;

    private static final String ALGORITHM = "HmacSHA256";

    private static final Set<PosixFilePermission> OWNER_ALONE =
            EnumSet.of(PosixFilePermission.OWNER_READ, PosixFilePermission.OWNER_WRITE);

    private final byte[] bytes;

    private JobSecret(byte[] bytes) {
        this.bytes = bytes;
    }

    /** Returns a new secret. */
    public static JobSecret random() {
        return new JobSecret(JobId.chance(LENGTH));
    }

    /**
     * Returns a given secret.
     *
     * @throws IllegalArgumentException if it has not {@link #LENGTH} bytes
     */
    public static JobSecret of(byte[] bytes) {
        if (bytes.length != LENGTH) {
            throw new IllegalArgumentException("a secret has " + LENGTH + " bytes: " + bytes.length);
        }
        return new JobSecret(bytes.clone());
    }

    /**
     * Reads the secret of a file: 64 hexadecimal digits.
     *
     * @throws SegnoException if the file cannot be read, others may read it, or it has something else
     */
    public static JobSecret read(Path file) {
        try {
            if (!Platform.owns(file) || !OWNER_ALONE.containsAll(Files.getPosixFilePermissions(file))) {
                throw new SegnoException(
                        "the file of a job's secret must be this user's, with mode 0600: " + file + "; chmod 600 it");
            }
            final String digits =
                    Files.readString(file, StandardCharsets.US_ASCII).strip();
            if (!digits.matches("[0-9a-fA-F]{" + 2 * LENGTH + "}")) {
                throw new SegnoException("the file of a job's secret must have " + 2 * LENGTH + " hexadecimal digits: "
                        + file + "; openssl rand -hex " + LENGTH + " makes one");
            }
            return new JobSecret(HexFormat.of().parseHex(digits));
        } catch (final IOException e) {
            throw new SegnoException(
                    "cannot read the job's secret in " + file + ", set " + JobVariables.SECRET_FILE + ": " + e, e);
        }
    }

    /** Returns a copy of the bytes. */
    public byte[] bytes() {
        return bytes.clone();
    }

    /** Returns the HMAC-SHA-256 of a purpose and of values, which nobody without the secret can compute. */
    byte[] proof(String purpose, byte[]... values) {
        try {
            final Mac mac = Mac.getInstance(ALGORITHM);
            mac.init(new SecretKeySpec(bytes, ALGORITHM));
            mac.update(purpose.getBytes(StandardCharsets.US_ASCII));
            for (final byte[] value : values) {
                mac.update(value);
            }
            return mac.doFinal();
        } catch (final GeneralSecurityException e) {
            throw new IllegalStateException("this JVM has no " + ALGORITHM, e);
        }
    }

    /** Compares two proofs in a time that does not depend on where they differ. */
    static boolean areEqual(byte[] one, byte[] other) {
        return MessageDigest.isEqual(one, other);
    }

    /** Returns the secret of the links of one run of a job. It tells nothing about this secret. */
    byte[] ofLinks(JobId job) {
        return proof(
                "segno links",
                ByteBuffer.allocate(2 * Long.BYTES)
                        .putLong(job.high())
                        .putLong(job.low())
                        .array());
    }

    @Override
    public String toString() {
        return "a secret";
    }
}
