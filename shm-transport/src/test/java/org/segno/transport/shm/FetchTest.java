package org.segno.transport.shm;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
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
import org.segno.status.RefusedException;
import org.segno.status.Status;

/** Ranks in separate processes that read each other's memory and change the same words atomically. */
@Tag("long")
class FetchTest {
    private static final int RANKS = 4;
    private static final int CHANGES = 5_000;

    @RegisterExtension
    final ProcessPool pool = new ProcessPool();

    @ParameterizedTest
    @EnumSource(
            value = Threading.class,
            names = {"INVOKER", "DEDICATED"})
    void shouldLoseNoChangeOfAWordThatAllRanksChange(Threading threading) {
        final JobConfig job = pool.job("fetch", RANKS);
        final List<TestProcess> processes = new ArrayList<>();
        for (int rank = 0; rank < RANKS; rank++) {
            processes.add(pool.start(Changer.class, job, threading, rank));
        }
        processes.forEach(TestProcess::awaitEnd);
    }

    /** Changes the words of rank 0 by every function, and reads its right neighbour. */
    static final class Changer implements Scenario {
        private static final int SUM = 0;
        private static final int TURNED = 8;
        private static final int BITS = 16;
        private static final int LOCK = 24;
        private static final int GUARDED = 32;
        private static final int TOKEN = 40;
        private static final int LENGTH = 64;

        private final Rmw change = new Rmw();

        @Override
        public void run(ScenarioRun run) {
            try (Node node = run.join()) {
                final Client client = node.client();
                final Context context = client.context();
                final Window window = client.window(2 * LENGTH);
                final Window result = client.window(LENGTH);
                final InjectionCounter done = client.injectionCounter();
                client.publish(
                        "words",
                        client.receptionCounter(window, 0, LENGTH, ReceptionCounter.ANYBODY, Right.ATOMIC, Right.GET));
                client.publish("inbox", client.receptionCounter(window, LENGTH, LENGTH));
                final Target words = context.attach(0, "words", ScenarioRun.deadline());
                window.buffer().putLong(TOKEN, node.rank());
                context.barrier(ScenarioRun.deadline());
                change.result(result, 0).completes(done);

                changeAlone(context, words, done, result, node.rank());
                increment(context, words, done, result);
                context.barrier(ScenarioRun.deadline());
                if (node.rank() == 0) {
                    check(window);
                }
                final int right = (node.rank() + 1) % RANKS;
                final Target neighbour = context.attach(right, "words", ScenarioRun.deadline());
                assertThat(read(context, neighbour, TOKEN, result, done)).isEqualTo(right);
                refuse(context, right, result, done);
                context.barrier(ScenarioRun.deadline());
            }
        }

        /** Makes the changes that do not depend on those of other ranks. */
        private void changeAlone(Context context, Target words, InjectionCounter done, Window result, int rank) {
            long last = -1;
            for (int i = 0; i < CHANGES; i++) {
                final long before = changed(context, words, SUM, change.fetchAdd(1), done, result);
                assertThat(before).as("sums as seen by one rank grow").isGreaterThan(last);
                last = before;
                changed(context, words, TURNED, change.xor(1L << rank), done, result);
                changed(context, words, BITS, change.or(1L << rank), done, result);
            }
            changed(context, words, BITS, change.and(~(1L << (32 + rank))), done, result);
        }

        /**
         * Increments a word in two steps, a read and a write, under a lock that compare-and-set takes and swap
         * releases.
         */
        private void increment(Context context, Target words, InjectionCounter done, Window result) {
            for (int i = 0; i < CHANGES / 50; i++) {
                while (changed(context, words, LOCK, change.compareAndSet(0, 1), done, result) != 0) {
                    Thread.onSpinWait();
                }
                final long guarded = read(context, words, GUARDED, result, done);
                changed(context, words, GUARDED, change.swap(guarded + 1), done, result);
                assertThat(changed(context, words, LOCK, change.swap(0), done, result))
                        .isEqualTo(1);
            }
        }

        private static void check(Window window) {
            assertThat(window.buffer().getLong(SUM)).isEqualTo((long) RANKS * CHANGES);
            assertThat(window.buffer().getLong(TURNED)).isZero();
            assertThat(window.buffer().getLong(BITS)).isEqualTo((1L << RANKS) - 1);
            assertThat(window.buffer().getLong(GUARDED)).isEqualTo((long) RANKS * (CHANGES / 50));
        }

        private static void refuse(Context context, int rank, Window result, InjectionCounter done) {
            final Target inbox = context.attach(rank, "inbox", ScenarioRun.deadline());
            done.expect(8);
            context.get(inbox, 0, result, 0, 8, done);
            assertThatThrownBy(() -> context.await(done, ScenarioRun.deadline()))
                    .isInstanceOf(RefusedException.class)
                    .hasMessageContaining("rank " + rank + " refused: the counter does not give the right to get");
            done.reset();
            done.expect(8);
            context.rmw(inbox, 0, new Rmw().fetchAdd(1).completes(done));
            assertThatThrownBy(() -> context.await(done, ScenarioRun.deadline()))
                    .isInstanceOf(RefusedException.class)
                    .hasMessageContaining("the right to atomic operations");
        }

        private static long changed(
                Context context, Target words, int offset, Rmw operation, InjectionCounter done, Window result) {
            done.expect(Rmw.LENGTH);
            while (context.rmw(words, offset, operation) == Status.BACK_PRESSURED) {
                context.advance();
            }
            context.await(done, ScenarioRun.deadline());
            return result.buffer().getLong(0);
        }

        private static long read(Context context, Target words, int offset, Window result, InjectionCounter done) {
            done.expect(8);
            context.get(words, offset, result, 8, 8, done);
            context.await(done, ScenarioRun.deadline());
            return result.buffer().getLong(8);
        }
    }
}
