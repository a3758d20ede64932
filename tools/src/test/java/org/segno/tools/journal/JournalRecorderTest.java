package org.segno.tools.journal;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class JournalRecorderTest {
    private static final Path DIRECTORY = Path.of("/journals/run1");

    /** The texts of JDK 17 and of later ones. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "a fault occurred in a recent unsafe memory access operation in compiled Java code",
                "a fault occurred in an unsafe memory access operation",
            })
    void shouldNameTheFullFileSystemAndTheRemedyForAFaultOfAMappedPage(String text) {
        final InternalError fault = new InternalError(text);

        assertThat(JournalRecorder.explained(fault, DIRECTORY))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("the file system of /journals/run1 has become full")
                .hasMessageContaining("free 64 MiB and more there, or record to another one")
                .hasCause(fault);
    }

    @Test
    void shouldLeaveOtherReasonsAsTheyAre() {
        final IOException other = new IOException("unsafe memory access");
        final InternalError internal = new InternalError("other");

        assertThat(JournalRecorder.explained(other, DIRECTORY)).isSameAs(other);
        assertThat(JournalRecorder.explained(internal, DIRECTORY)).isSameAs(internal);
        assertThat(JournalRecorder.explained(new InternalError(), DIRECTORY)).isInstanceOf(InternalError.class);
    }
}
