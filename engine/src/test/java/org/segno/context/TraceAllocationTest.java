package org.segno.context;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.segno.engine.dma.EngineFixture;
import org.segno.engine.memory.NodeSize;
import org.segno.engine.trace.TraceRing;
import org.segno.engine.trace.TraceScope;
import org.segno.memory.ReceptionCounter;
import org.segno.memory.Target;
import org.segno.memory.Window;
import org.segno.pattern.Pattern;
import org.segno.pattern.Rounds;
import org.segno.status.Deadline;

/** Allocation of an engine that writes a trace: 0 bytes, with room in the ring and without. */
class TraceAllocationTest {
    private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    private static final int WARM_UP = 20_000;
    private static final int OPERATIONS = 20_000;

    @TempDir
    Path directory;

    private final TraceRing ring = new TraceRing(TraceRing.MIN_BYTES);

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void shouldAllocateNothingToTraceDescriptorsAndRounds(boolean withPayloads) {
        try (EngineFixture engines = EngineFixture.open(
                directory, NodeSize.small().patternSlots(16).fifoSlots(16).dimensions())) {
            engines.trace(0, ring, TraceScope.ALL, withPayloads);
            final Context context = engines.context(0);
            final Window window = engines.client(0).window(256);
            final ReceptionCounter in =
                    engines.client(1).receptionCounter(engines.client(1).window(256), 0, 256);
            engines.client(1).publish("in", in);
            final Target target = context.attach(1, "in", Deadline.in(30, SECONDS));
            final Pattern pattern =
                    context.prepare(Rounds.ORDERED_BY_CALLER, () -> context.put(target, 0, window, 0, 8));
            for (int i = 0; i < WARM_UP; i++) {
                exchange(context, target, window, pattern);
            }
            final long before = THREADS.getCurrentThreadAllocatedBytes();
            for (int i = 0; i < OPERATIONS; i++) {
                exchange(context, target, window, pattern);
            }
            final long bytes = THREADS.getCurrentThreadAllocatedBytes() - before;

            assertThat(bytes / OPERATIONS)
                    .as("bytes per operation, of " + bytes)
                    .isZero();
            assertThat(ring.lossesAcquire().records()).isPositive();
        }
    }

    /** Nothing polls the ring, so that it is full after some thousand operations. */
    private static void exchange(Context context, Target target, Window window, Pattern pattern) {
        context.put(target, 0, window, 0, 8);
        context.put(target, 0, window, 0, 16);
        context.advance();
        context.replay(pattern);
        context.advance();
    }
}
