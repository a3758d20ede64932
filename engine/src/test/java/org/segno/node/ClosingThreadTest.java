package org.segno.node;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.logging.Logger;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.segno.context.Context;
import org.segno.node.NodeConfig.Threading;
import org.segno.operation.ThreadLevel;

/** Nodes that one thread closes after another one, which still lives, was the last to use their context. */
@Timeout(60)
class ClosingThreadTest {
    private static final int ID = 7;
    private static final int MESSAGES = 10;

    @TempDir
    Path parent;

    @ParameterizedTest
    @EnumSource(
            value = ThreadLevel.class,
            names = {"SERIALIZED", "MULTIPLE"})
    void shouldCarryOutWhatWasInjectedOrNameIt(ThreadLevel level) throws Exception {
        final NodeConfig config = SmallNodes.config(Threading.INVOKER, 2).withThreadLevel(level);
        final List<String> logged = new ArrayList<>();
        final int[] received = {0};
        final ExecutorService pool = Executors.newSingleThreadExecutor();
        final Logger logger = Logger.getLogger(Node.class.getName());
        try (InProcessJob job = InProcessJob.join(parent, 2, config)) {
            final Context context = job.context(0);
            pool.submit(() -> inject(context)).get();
            logger.setFilter(entry -> !logged.add(entry.getMessage()));
            job.node(0).close();
            logger.setFilter(null);
            final Context peer = job.context(1);
            peer.lock();
            peer.handler(ID, (origin, buffer, m, ml, p, pl) -> received[0]++);
            for (int pass = 0; pass < 100; pass++) {
                peer.advance();
            }
            peer.unlock();
        } finally {
            pool.shutdown();
        }
        if (level == ThreadLevel.MULTIPLE) {
            assertThat(logged).isEmpty();
            assertThat(received[0]).isEqualTo(MESSAGES);
        } else {
            assertThat(logged).hasSize(1);
            assertThat(logged.get(0))
                    .contains(
                            "rank 0 closes on",
                            "was the last to use context 0 of rank 0 and still lives",
                            "the remaining descriptors are lost",
                            "is a SEND");
        }
    }

    private static void inject(Context context) {
        final UnsafeBuffer bytes = new UnsafeBuffer(new byte[8]);
        context.lock();
        context.advance();
        // The batch keeps its first ones from being carried out at once.
        context.batch(MESSAGES, () -> {
            for (int i = 0; i < MESSAGES; i++) {
                context.sendImmediate(1, ID, bytes, 0, 8);
            }
        });
        context.unlock();
    }
}
