package org.segno.transport.aeron;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import org.agrona.IoUtil;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Files of Aeron's driver. */
class AeronDriverTest {
    @TempDir
    Path parent;

    @Test
    void shouldDeleteItsFilesAtItsEnd() {
        final AeronDriver driver = AeronDriver.launch(parent);
        assertThat(driver.directory()).isDirectory().hasParent(parent);
        driver.close();

        assertThat(driver.errors()).isZero();
        assertThat(parent).isEmptyDirectory();
    }

    @Test
    void shouldEndWithoutAnErrorAfterTheHubHasRemovedItsFiles() {
        final AeronDriver driver = AeronDriver.launch(parent);
        IoUtil.delete(driver.directory().toFile(), false);
        driver.close();

        assertThat(driver.errors()).isZero();
        assertThat(parent).isEmptyDirectory();
    }
}
