package org.segno.engine.job;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.HexFormat;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.segno.status.SegnoException;

/** A secret is read from files of its owner alone, and its proofs depend on all that is proven. */
class JobSecretTest {
    private static final String DIGITS = "00112233445566778899aabbccddeeff".repeat(2);

    @TempDir
    Path directory;

    private Path file(String text, String mode) throws IOException {
        final Path file = Files.writeString(directory.resolve("secret"), text);
        return Files.setPosixFilePermissions(file, PosixFilePermissions.fromString(mode));
    }

    @Test
    void shouldReadTheDigitsOfAFile() throws IOException {
        final JobSecret secret = JobSecret.read(file(DIGITS + "\n", "rw-------"));
        assertThat(secret.bytes()).isEqualTo(HexFormat.of().parseHex(DIGITS));
        assertThat(secret.toString()).doesNotContain("00").doesNotContain("11");
    }

    @Test
    void shouldRefuseAFileThatOthersMayRead() throws IOException {
        for (final String mode : new String[] {"rw-r-----", "rw----r--", "rwx------"}) {
            final Path file = file(DIGITS, mode);
            assertThatThrownBy(() -> JobSecret.read(file))
                    .as(mode)
                    .isInstanceOf(SegnoException.class)
                    .hasMessageContaining("0600")
                    .hasMessageContaining(file.toString());
        }
    }

    @Test
    void shouldRefuseAFileWithoutASecret() throws IOException {
        for (final String text : new String[] {"", DIGITS.substring(1), DIGITS + "0", DIGITS.replace('a', 'x')}) {
            final Path file = file(text, "rw-------");
            assertThatThrownBy(() -> JobSecret.read(file))
                    .isInstanceOf(SegnoException.class)
                    .hasMessageContaining("64 hexadecimal digits")
                    .hasMessageNotContaining("001122");
        }
        assertThatThrownBy(() -> JobSecret.read(directory.resolve("absent")))
                .isInstanceOf(SegnoException.class)
                .hasMessageContaining("SEGNO_SECRET_FILE");
    }

    /** RFC 4231, test case 2, whose key is padded with zeros to a secret: HMAC pads keys with zeros. */
    @Test
    void shouldComputeTheHmacOfItsStandard() {
        final byte[] key = new byte[JobSecret.LENGTH];
        System.arraycopy("Jefe".getBytes(StandardCharsets.US_ASCII), 0, key, 0, 4);
        assertThat(HexFormat.of()
                        .formatHex(JobSecret.of(key)
                                .proof("what do ya ", "want for nothing?".getBytes(StandardCharsets.US_ASCII))))
                .isEqualTo("5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843");
    }

    @Test
    void shouldGiveEachRunOfAJobAnotherSecretOfLinks() {
        final JobSecret secret = JobSecret.random();
        final JobId job = JobId.random();
        assertThat(secret.ofLinks(job))
                .isEqualTo(secret.ofLinks(job))
                .isNotEqualTo(secret.ofLinks(JobId.random()))
                .isNotEqualTo(JobSecret.random().ofLinks(job))
                .isNotEqualTo(secret.bytes());
    }
}
