package org.segno.node;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.segno.context.Client;
import org.segno.context.Context;
import org.segno.geometry.Endpoint;
import org.segno.memory.Window;
import org.segno.operation.Message;
import org.segno.status.Status;

/** Messages from every context to every context, its own included, through endpoints. */
@Timeout(120)
@OverMemoryAndLinks
class CrosstalkTest {
    private static final int ID = 11;
    private static final int CONTEXTS = 3;
    private static final int COUNT = 200;

    @TempDir
    Path parent;

    /** Messages that one context has received, by the sending context. */
    private static final class Inbox {
        private final long[] next = new long[2 * CONTEXTS];
        private long received;

        void take(long sender, long number) {
            if (number != next[(int) sender]) {
                throw new AssertionError("context " + sender + " sent " + number + ", not " + next[(int) sender]);
            }
            next[(int) sender]++;
            received++;
        }

        boolean isComplete() {
            return received == 2L * 2 * CONTEXTS * COUNT;
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"INVOKER", "DEDICATED", "SHARED", "MIXED"})
    void shouldReachEveryContextFromEveryOther(String modes) throws Exception {
        final List<NodeConfig> configs = new ArrayList<>();
        for (final NodeConfig config : SmallNodes.configs(2, SmallNodes.modes(modes))) {
            // All ranks of a job need the same number of engines: one for each context under INVOKER.
            configs.add(config.withContexts(CONTEXTS).withEngines(CONTEXTS).withLaneBudgetBytes(1 << 20));
        }
        try (InProcessJob job = InProcessJob.join(parent, configs)) {
            final Inbox[][] inboxes = new Inbox[2][CONTEXTS];
            final long[] endpoints = new long[2 * CONTEXTS];
            for (int rank = 0; rank < 2; rank++) {
                for (int number = 0; number < CONTEXTS; number++) {
                    final Inbox inbox = new Inbox();
                    inboxes[rank][number] = inbox;
                    final Context context = job.node(rank).client().context(number);
                    endpoints[rank * CONTEXTS + number] = context.endpoint();
                    context.handler(
                            ID, (source, buffer, m, ml, p, pl) -> inbox.take(buffer.getLong(m), buffer.getLong(m + 8)));
                }
            }
            job.onThreads(rank -> {
                final Client client = job.node(rank).client();
                final Window window = client.window(64);
                for (int round = 0; round < COUNT; round++) {
                    for (int number = 0; number < CONTEXTS; number++) {
                        sendToAll(client, number, rank * CONTEXTS + number, round, window, endpoints);
                    }
                }
                for (int number = 0; number < CONTEXTS; number++) {
                    final Inbox inbox = inboxes[rank][number];
                    // The other contexts' engines must run for that too.
                    client.context(number).await(() -> advanceOthers(client, inbox), InProcessJob.deadline());
                }
                for (int number = 0; number < CONTEXTS; number++) {
                    client.context(number).barrier(InProcessJob.deadline());
                }
            });
        }
    }

    private static boolean advanceOthers(Client client, Inbox inbox) {
        for (int number = 0; number < CONTEXTS; number++) {
            client.context(number).advance();
        }
        // This rank's messages leave while it advances, and the other rank waits for them.
        return inbox.isComplete() && client.isDrained();
    }

    /** Sends twice to each: by value, and as metadata of a message from a window. */
    private static void sendToAll(Client client, int number, long sender, int round, Window window, long[] endpoints) {
        final Context context = client.context(number);
        final UnsafeBuffer words = new UnsafeBuffer(new byte[16]);
        final Message message = new Message();
        for (final long endpoint : endpoints) {
            words.putLong(0, sender);
            words.putLong(8, 2L * round);
            while (context.sendImmediate(endpoint, ID, words, 0, 16) == Status.BACK_PRESSURED) {
                advanceAll(client);
            }
            words.putLong(8, 2L * round + 1);
            message.to(endpoint, ID).metadata(words, 0, 16).payload(window, 0, round % 64);
            while (context.send(message) == Status.BACK_PRESSURED) {
                advanceAll(client);
            }
        }
    }

    @SuppressWarnings("ThreadPriorityCheck") // Yields, because the other threads need the core.
    private static void advanceAll(Client client) {
        int work = 0;
        for (int number = 0; number < CONTEXTS; number++) {
            work += client.context(number).advance();
        }
        if (work == 0) {
            Thread.yield();
        }
    }

    @Test
    void shouldRefuseAnEndpointOutsideTheJob() {
        try (InProcessJob job = InProcessJob.join(parent, 1, SmallNodes.config(NodeConfig.Threading.INVOKER, 1))) {
            final Context context = job.context(0);
            final UnsafeBuffer bytes = new UnsafeBuffer(new byte[8]);

            assertThat(context.endpoint()).isEqualTo(Endpoint.of(0, 0, 0, 0));
            assertThatThrownBy(() -> context.sendImmediate(Endpoint.of(0, 0, 1, 1), ID, bytes, 0, 8))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("rank 0 has no such context, it has 1: context=1");
            assertThatThrownBy(() -> context.sendImmediate(Endpoint.of(1, 0, 0, 0), ID, bytes, 0, 8))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("rank=1");
            assertThatThrownBy(() -> context.sendImmediate(-1, ID, bytes, 0, 8))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("rank=-1");
            assertThat(context.fifo().fill()).isZero();
        }
    }
}
