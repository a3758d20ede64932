package org.segno.tools.run.plan;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.File;
import org.junit.jupiter.api.Test;
import org.segno.tools.command.CommandException;

final class JobRoomTest {
    private static final long MEBIBYTE = 1 << 20;

    @Test
    void shouldReportTheMemoryOfTheWholeJobAndTheRemedy() {
        final JobRoom room = new JobRoom(new File("/dev/shm"), 4, 3 * MEBIBYTE, 8 * MEBIBYTE);

        assertThatThrownBy(room::check)
                .isInstanceOf(CommandException.class)
                .hasMessageStartingWith(
                        "no room in /dev/shm for 4 ranks: at least 12.0 MiB are needed (3.0 MiB for each),"
                                + " 8.0 MiB are left; use fewer ranks (-n)")
                .hasMessageContaining("SEGNO_DIR");
        assertThat(room.isFull()).isFalse();
        assertThat(room.isTooSmall()).isTrue();
    }

    @Test
    void shouldAcceptExactlyEnoughRoom() {
        new JobRoom(new File("/dev/shm"), 2, 3 * MEBIBYTE, 6 * MEBIBYTE).check();
    }
}
