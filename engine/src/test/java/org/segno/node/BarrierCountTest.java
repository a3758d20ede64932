package org.segno.node;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.lang.reflect.Field;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.segno.context.Client;
import org.segno.context.Context;
import org.segno.node.NodeConfig.Threading;
import org.segno.operation.ThreadLevel;
import org.segno.status.Deadline;
import org.segno.status.DeadlineException;

/** Barriers after many others. A rank that has entered this one closes its client, and only a slow rank is missing. */
class BarrierCountTest {
    private static final ClientConfig ALPHA =
            ClientConfig.named("alpha").withContexts(1).withCounters(3, 4).withWindowBytes(4096);

    @TempDir
    Path parent;

    private static void enteredBefore(Context context, int rounds) throws ReflectiveOperationException {
        final Field barrier = Context.class.getDeclaredField("barrier");
        barrier.setAccessible(true);
        final Field entered = barrier.get(context).getClass().getDeclaredField("entered");
        entered.setAccessible(true);
        entered.setInt(barrier.get(context), rounds);
    }

    @ParameterizedTest
    @ValueSource(ints = {0, Integer.MAX_VALUE})
    void shouldWaitForASlowRankAfterManyBarriers(int before) throws Exception {
        final NodeConfig config = SmallNodes.config(Threading.INVOKER, 3)
                .withContexts(3)
                .withFifos(4)
                .withThreadLevel(ThreadLevel.SERIALIZED)
                .withLaneBudgetBytes(1 << 20);
        try (InProcessJob job = InProcessJob.join(parent, 3, config)) {
            final Client[] clients = new Client[3];
            for (int rank = 0; rank < 3; rank++) {
                clients[rank] = job.node(rank).openClient(ALPHA);
                enteredBefore(clients[rank].context(), before);
            }
            // Ranks 0 and 1 enter this barrier. Rank 2 is slow.
            for (int rank = 0; rank < 2; rank++) {
                final Context context = clients[rank].context();
                assertThatThrownBy(() -> context.barrier(Deadline.in(20, TimeUnit.MILLISECONDS)))
                        .isInstanceOf(DeadlineException.class);
            }
            clients[0].close();
            assertThatThrownBy(() -> clients[1].context().barrier(Deadline.in(50, TimeUnit.MILLISECONDS)))
                    .as("rank 1 waits for rank 2")
                    .isInstanceOf(DeadlineException.class);
        }
    }
}
