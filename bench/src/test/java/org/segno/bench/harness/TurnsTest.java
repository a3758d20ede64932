package org.segno.bench.harness;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

class TurnsTest {
    private static final int PARTS = 3;
    private static final int TURNS = 4;

    @TempDir
    private Path directory;

    @Test
    @Timeout(60)
    void shouldGiveEachPartATurnAfterEachOther() throws IOException, InterruptedException {
        Turns.make(directory);
        final List<String> log = Collections.synchronizedList(new ArrayList<>());
        final List<Thread> threads = new ArrayList<>();
        for (int part = PARTS - 1; part >= 0; part--) {
            final Turns own = Turns.open(directory, part, PARTS);
            final String name = "part " + part + ", turn ";
            final Thread thread = new Thread(() -> {
                for (int turn = 0; turn < TURNS; turn++) {
                    own.await(turn);
                    log.add(name + turn);
                    own.pass();
                }
                own.awaitAll(TURNS);
                log.add("end");
            });
            thread.start();
            threads.add(thread);
        }
        for (final Thread thread : threads) {
            thread.join();
        }

        final List<String> expected = new ArrayList<>();
        for (int turn = 0; turn < TURNS; turn++) {
            for (int part = 0; part < PARTS; part++) {
                expected.add("part " + part + ", turn " + turn);
            }
        }
        expected.addAll(Collections.nCopies(PARTS, "end"));
        assertThat(log).isEqualTo(expected);
    }
}
