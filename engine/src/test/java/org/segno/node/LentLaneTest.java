package org.segno.node;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.segno.context.Client;
import org.segno.context.Context;
import org.segno.context.Loan;
import org.segno.memory.ReceptionCounter;
import org.segno.memory.Right;
import org.segno.memory.Target;
import org.segno.node.NodeConfig.Threading;
import org.segno.operation.Message;
import org.segno.operation.ThreadLevel;
import org.segno.pattern.Pattern;
import org.segno.pattern.Rounds;

/**
 * The thread of context 0 claims and publishes records in the lane of its own rank, while the thread of context 1
 * receives for the engine of context 0, and raises the events of a counter in that lane.
 */
class LentLaneTest {
    private static final int ID = 9;
    private static final long RUN_NS = TimeUnit.SECONDS.toNanos(20);

    @TempDir
    Path parent;

    private final AtomicBoolean ended = new AtomicBoolean();
    private final AtomicReference<Throwable> thrown = new AtomicReference<>();
    private long received;
    private long wrong;

    @Test
    @Tag("long")
    void shouldPublishRecordsInALaneThatReceivedEventsAreRaisedIn() throws Exception {
        System.setProperty(NodeSetting.TRANSPORT.property(), "process");
        final NodeConfig config = SmallNodes.config(Threading.INVOKER, 2)
                .withContexts(2)
                .withThreadLevel(ThreadLevel.SERIALIZED)
                .withLaneBudgetBytes(1 << 20);
        try (InProcessJob job = InProcessJob.join(parent, 2, config)) {
            final Client zero = job.node(0).client();
            final Client one = job.node(1).client();
            final ReceptionCounter readable = one.receptionCounter(one.window(64), 0, 64, 0, Right.GET);
            final Target from = new Target(1, readable.id(), readable.incarnation(), 64, false);
            final ReceptionCounter in = zero.receptionCounter(zero.window(64), 0, 64, 1);
            final Context context = zero.context(0);
            context.onHit(in, counter -> {});
            context.handler(ID, (origin, buffer, metadata, metadataLength, payload, length) -> {
                received++;
                for (int i = 0; i < length; i += 8) {
                    wrong += buffer.getLong(payload + i) == received ? 0 : 1;
                }
            });
            final Pattern get = context.prepare(Rounds.ORDERED_BY_CALLER, () -> context.get(from, 0, in, 0, 8, null));
            final List<Thread> others = List.of(advancing(zero.context(1)), advancing(one.context(0)));
            try {
                publishWhileGetting(context, get, in);
            } finally {
                ended.set(true);
                for (final Thread other : others) {
                    other.join();
                }
            }
            assertThat(wrong).as("wrong words").isZero();
            assertThat(thrown.get()).isNull();
        } finally {
            System.clearProperty(NodeSetting.TRANSPORT.property());
        }
    }

    private void publishWhileGetting(Context context, Pattern get, ReceptionCounter in) {
        final Loan loan = context.loan();
        final Message self = new Message().to(0, ID);
        final long endNs = System.nanoTime() + RUN_NS;
        long sent = 0;
        while (System.nanoTime() - endNs < 0 && wrong == 0) {
            in.expect(8);
            context.replay(get);
            context.advance();
            while (!get.isComplete() || in.valueAcquire() > 0) {
                if (loan.claim(self, 64) == 0) {
                    sent++;
                    for (int i = 0; i < 64; i += 8) {
                        loan.buffer().putLong(i, sent);
                    }
                    while (loan.publish() < 0) {
                        context.advance();
                    }
                } else {
                    context.advance();
                }
            }
            for (int i = 0; i < 1000 && received != sent; i++) {
                context.advance();
            }
            assertThat(received).as("messages; wrong words: %s", wrong).isEqualTo(sent);
        }
    }

    private Thread advancing(Context context) {
        final Thread thread = new Thread(() -> {
            try {
                while (!ended.get()) {
                    context.advance();
                }
            } catch (final RuntimeException | Error e) {
                thrown.set(e);
            }
        });
        thread.start();
        return thread;
    }
}
