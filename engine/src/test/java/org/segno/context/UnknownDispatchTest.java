package org.segno.context;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.segno.engine.dma.EngineFixture;
import org.segno.engine.memory.NodeSize;
import org.segno.engine.metrics.ErrorLog;
import org.segno.engine.metrics.Metric;

class UnknownDispatchTest {
    private static final int FLOOD = 1_000;

    /** Number of notices: one for each power of two up to the flood's count. */
    private static final int NOTICES = 10;

    @TempDir
    Path directory;

    private final UnsafeBuffer bytes = new UnsafeBuffer(new byte[8]);

    @Test
    void shouldNotifyTheSenderOnceAndOfAFloodNowAndThen() {
        try (EngineFixture engines =
                EngineFixture.open(directory, NodeSize.small().ranks(2).fifos(2).dimensions())) {
            final int[] handled = new int[1];
            engines.context(1).handler(5, (from, buffer, m, ml, p, pl) -> handled[0]++);
            for (int i = 0; i < FLOOD; i++) {
                engines.context(0).sendImmediate(1, 4, bytes, 0, 8);
                engines.context(0).sendImmediate(1, 5, bytes, 0, 8);
                engines.settle();
            }

            assertThat(handled[0]).isEqualTo(FLOOD);
            assertThat(engines.metrics(1).get(Metric.UNKNOWN_DISPATCH)).isEqualTo(FLOOD);
            assertThat(engines.metrics(1).get(Metric.DESCRIPTORS)).isEqualTo(NOTICES);
            // The log holds equal errors once.
            assertThat(ErrorLog.count(engines.memory(0))).isEqualTo(1);
            assertThat(engines.metrics(0).get(Metric.UNKNOWN_DISPATCH)).isZero();
        }
    }
}
