package org.segno.transport.shm;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.segno.context.Client;
import org.segno.context.Context;
import org.segno.memory.InjectionCounter;
import org.segno.memory.ReceptionCounter;
import org.segno.memory.Right;
import org.segno.memory.Target;
import org.segno.memory.Window;
import org.segno.node.JobConfig;
import org.segno.node.Node;
import org.segno.node.NodeConfig.Threading;
import org.segno.operation.Rmw;
import org.segno.status.Status;

/**
 * Four processes that change the same word by two functions concurrently: each value is found by exactly one change.
 */
@Tag("long")
class OneWordTest {
    private static final int RANKS = 4;
    private static final int ADDS = 2_000;
    private static final int SWAPS = 500;

    @RegisterExtension
    final ProcessPool pool = new ProcessPool();

    @Test
    void shouldHaveTheExactSumOfAddsAndOfLoopsOfCompareAndSet() {
        final JobConfig job = pool.job("one-word", RANKS);
        final List<TestProcess> processes = new ArrayList<>();
        for (int rank = 0; rank < RANKS; rank++) {
            processes.add(pool.start(Adder.class, job, Threading.INVOKER, rank));
        }
        processes.forEach(TestProcess::awaitEnd);
    }

    /** Marks the value that each of its changes has found in a table of rank 0. */
    static final class Adder implements Scenario {
        private static final int WORD = Long.BYTES;
        private static final int ALL = RANKS * (ADDS + SWAPS);

        @SuppressWarnings("NullAway.Init") // by run
        private Context context;

        @SuppressWarnings("NullAway.Init") // by run
        private Window result;

        @SuppressWarnings("NullAway.Init") // by run
        private InjectionCounter done;

        @SuppressWarnings("NullAway.Init") // by run
        private Target words;

        @Override
        public void run(ScenarioRun run) {
            try (Node node = run.join(run.config().withWindowBytes(1 << 18))) {
                final Client client = node.client();
                context = client.context();
                final Window window = client.window((long) (1 + ALL) * WORD);
                result = client.window(WORD);
                done = client.injectionCounter();
                client.publish(
                        "words",
                        client.receptionCounter(window, 0, window.length(), ReceptionCounter.ANYBODY, Right.ATOMIC));
                words = context.attach(0, "words", ScenarioRun.deadline());
                context.barrier(ScenarioRun.deadline());
                final Rmw change = new Rmw().result(result, 0).completes(done);
                for (int i = 0; i < ADDS; i++) {
                    mark(change, changed(0, change.fetchAdd(1)));
                    if (i % (ADDS / SWAPS) == 0) {
                        mark(change, increment(change));
                    }
                }
                context.barrier(ScenarioRun.deadline());
                if (node.rank() == 0) {
                    assertThat(window.buffer().getLong(0)).isEqualTo(ALL);
                    for (int value = 0; value < ALL; value++) {
                        assertThat(window.buffer().getLong((1 + value) * WORD))
                                .as("finders of " + value)
                                .isEqualTo(1);
                    }
                }
            }
        }

        /** Adds one in a loop of compare-and-set; returns the previous value. */
        private long increment(Rmw change) {
            long seen = changed(0, change.fetchAdd(0));
            long before = changed(0, change.compareAndSet(seen, seen + 1));
            while (before != seen) {
                seen = before;
                before = changed(0, change.compareAndSet(seen, seen + 1));
            }
            return seen;
        }

        private void mark(Rmw change, long found) {
            changed((1 + found) * WORD, change.fetchAdd(1));
        }

        private long changed(long offset, Rmw change) {
            done.expect(Rmw.LENGTH);
            while (context.rmw(words, offset, change) == Status.BACK_PRESSURED) {
                context.advance();
            }
            context.await(done, ScenarioRun.deadline());
            return result.buffer().getLong(0);
        }
    }
}
