package org.segno.node;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Path;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.segno.context.Client;
import org.segno.context.Context;
import org.segno.node.NodeConfig.Threading;
import org.segno.operation.ThreadLevel;
import org.segno.status.ClosedException;
import org.segno.status.Deadline;

/** One call that advances several contexts. */
@Timeout(60)
@OverMemoryAndLinks
class JointAdvanceTest {
    private static final int ID = 4;

    private final UnsafeBuffer bytes = new UnsafeBuffer(new byte[Long.BYTES]);

    @TempDir
    Path parent;

    private static NodeConfig config(Threading threading) {
        return SmallNodes.config(threading, 2)
                .withContexts(2)
                .withEngines(2)
                .withCounters(16, 32)
                .withLaneBudgetBytes(1 << 20);
    }

    private static Context[] contexts(InProcessJob job) {
        final Client first = job.node(0).client();
        final Client second = job.node(1).client();
        return new Context[] {first.context(0), first.context(1), second.context(0), second.context(1)};
    }

    private void sendTo(Context to) {
        to.sendImmediate(to.endpoint(), ID, bytes, 0, Long.BYTES);
    }

    @ParameterizedTest
    @EnumSource(Threading.class)
    void shouldAdvanceContextsOfSeveralNodes(Threading threading) {
        try (InProcessJob job = InProcessJob.join(parent, 2, config(threading))) {
            final Context[] all = contexts(job);
            final int[] handled = new int[all.length];
            final int[] ran = new int[all.length];
            for (int i = 0; i < all.length; i++) {
                final int at = i;
                all[i].handler(ID, (source, buffer, m, ml, p, pl) -> handled[at]++);
                all[i].post(() -> ++ran[at]);
                // Each sends to the next one, every second one to the other node.
                all[i].sendImmediate(all[(i + 1) % all.length].endpoint(), ID, bytes, 0, Long.BYTES);
            }

            int done = Context.advanceAll(all);
            assertThat(done).as("posted work and more").isGreaterThanOrEqualTo(all.length);
            final long deadlineNs = InProcessJob.deadline();
            while (handled[0] + handled[1] + handled[2] + handled[3] < all.length && !Deadline.reached(deadlineNs)) {
                done += Context.advanceAll(all);
            }

            assertThat(handled).containsOnly(1);
            assertThat(ran).containsOnly(1);
            assertThat(done).isGreaterThanOrEqualTo(2 * all.length);
            assertThat(Context.advanceAll(new Context[0])).isZero();
        }
    }

    @ParameterizedTest
    @EnumSource(Threading.class)
    void shouldAdvanceTheOthersBeforeItThrowsTheExceptionsOfTwo(Threading threading) {
        try (InProcessJob job = InProcessJob.join(parent, 2, config(threading))) {
            final Context[] all = contexts(job);
            final int[] handled = new int[all.length];
            for (int i = 0; i < all.length; i++) {
                final int at = i;
                all[i].handler(ID, (source, buffer, m, ml, p, pl) -> handled[at]++);
            }
            all[1].post(() -> {
                throw new IllegalStateException("first");
            });
            all[2].post(() -> {
                throw new AssertionError("second");
            });
            for (final Context context : all) {
                context.post(() -> ++handled[3]);
            }

            assertThatThrownBy(() -> Context.advanceAll(all))
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessage("first")
                    .satisfies(e -> assertThat(e.getSuppressed())
                            .singleElement()
                            .isInstanceOf(AssertionError.class)
                            .hasToString("java.lang.AssertionError: second"));
            assertThat(handled[3]).as("the work of contexts 0 and 3 ran").isGreaterThanOrEqualTo(2);

            // Nothing is lost: the work posted after the one that threw runs in the next call.
            Context.advanceAll(all);
            assertThat(handled[3]).isEqualTo(all.length);
        }
    }

    @Test
    void shouldThrowOneExceptionThatTwoContextsShare() {
        try (InProcessJob job = InProcessJob.join(parent, 2, config(Threading.INVOKER))) {
            final Context[] all = contexts(job);
            final IllegalStateException shared = new IllegalStateException("shared");
            for (final Context context : all) {
                context.handler(ID, (source, buffer, m, ml, p, pl) -> {
                    throw shared;
                });
                sendTo(context);
            }

            assertThatThrownBy(() -> Context.advanceAll(all)).isSameAs(shared).hasNoSuppressedExceptions();
        }
    }

    @Test
    void shouldAdvanceTheOthersOfAClosedNode() {
        try (InProcessJob job = InProcessJob.join(parent, 2, config(Threading.INVOKER))) {
            final Context[] all = contexts(job);
            final int[] handled = new int[1];
            all[3].handler(ID, (source, buffer, m, ml, p, pl) -> handled[0]++);
            sendTo(all[3]);
            job.node(0).close();

            assertThatThrownBy(() -> Context.advanceAll(all))
                    .isInstanceOf(ClosedException.class)
                    .hasMessageContaining("rank 0 was closed");
            assertThat(handled[0]).isOne();
        }
    }

    @Test
    void shouldDemandTheLockOfEveryContextUnderMultiple() {
        final NodeConfig config = config(Threading.INVOKER).withThreadLevel(ThreadLevel.MULTIPLE);
        try (InProcessJob job = InProcessJob.join(parent, 1, config)) {
            final Context[] both = {
                job.node(0).client().context(0), job.node(0).client().context(1)
            };
            both[0].lock();

            assertThatThrownBy(() -> Context.advanceAll(both))
                    .isInstanceOf(AssertionError.class)
                    .hasMessageContaining("context 1 of rank 0 without its lock");
            both[1].lock();
            assertThat(Context.advanceAll(both)).isZero();
        }
    }
}
