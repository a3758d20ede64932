package org.segno.engine.metrics;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.segno.engine.memory.MappedNodes;
import org.segno.engine.memory.NodeSize;
import org.segno.status.RefusedException;
import org.segno.status.SegnoException;

class ErrorLogTest {
    private static final Logger LOGGER = Logger.getLogger("org.segno");

    @TempDir
    Path directory;

    private final List<String> logged = new ArrayList<>();
    private final Handler handler = new Handler() {
        @Override
        public void publish(LogRecord record) {
            logged.add(record.getMessage());
        }

        @Override
        public void flush() {}

        @Override
        public void close() {}
    };

    @BeforeEach
    void listen() {
        LOGGER.addHandler(handler);
        LOGGER.setUseParentHandlers(false);
    }

    @AfterEach
    void stopListening() {
        LOGGER.removeHandler(handler);
        LOGGER.setUseParentHandlers(true);
    }

    @Test
    void shouldLogEachKindOnceHoweverOftenItHappens() {
        try (MappedNodes nodes = MappedNodes.create(directory, NodeSize.small().dimensions())) {
            final ErrorLog errors = new ErrorLog(nodes.own(1));
            for (int i = 0; i < 100; i++) {
                errors.record(new SegnoException("here"));
                errors.record(new SegnoException("there"));
            }
            assertThat(logged).containsExactly("rank 1: here", "rank 1: there");
            assertThat(ErrorLog.count(nodes.asPeer(1))).isEqualTo(2);
        }
    }

    @Test
    void shouldLogRefusalsByTheirTextUpToALimitOfTheirOwn() {
        try (MappedNodes nodes = MappedNodes.create(directory, NodeSize.small().dimensions())) {
            final ErrorLog errors = new ErrorLog(nodes.own(1));
            for (int i = 0; i < 100; i++) {
                errors.record(new RefusedException(i, "refused by " + i));
            }
            errors.record(new SegnoException("here"));
            assertThat(logged)
                    .hasSize(17)
                    .startsWith("rank 1: refused by 0", "rank 1: refused by 1")
                    .endsWith("rank 1: here");
        }
    }

    @Test
    void shouldSurviveMoreKindsThanItHolds() {
        try (MappedNodes nodes = MappedNodes.create(directory, NodeSize.small().dimensions())) {
            final ErrorLog errors = new ErrorLog(nodes.own(1));
            for (int i = 0; i < 1000; i++) {
                errors.record(new SegnoException("kind " + i));
            }
            assertThat(ErrorLog.count(nodes.own(1))).isBetween(1, 999);
            assertThat(logged).hasSize(1);
        }
    }
}
