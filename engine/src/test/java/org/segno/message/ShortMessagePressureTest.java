package org.segno.message;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.segno.context.Context;
import org.segno.memory.Window;
import org.segno.node.InProcessJob;
import org.segno.node.NodeConfig.Threading;
import org.segno.node.OverMemoryAndLinks;
import org.segno.operation.Message;
import org.segno.status.Status;

/** Back pressure of handlers for short messages: nothing is lost, and only the sender concerned waits. */
@OverMemoryAndLinks
class ShortMessagePressureTest {
    private static final int DISPATCH = 9;

    @TempDir
    Path directory;

    /** Lets every rank flood both, where each handler accepts a message only in every third call. */
    @ParameterizedTest
    @EnumSource(Threading.class)
    void shouldLoseNothingAndKeepTheOrderWhileHandlersHaveNoRoom(Threading threading) throws Exception {
        final int count = threading == Threading.INVOKER ? 5_000 : 500;
        try (MessengerPairs all = new MessengerPairs(directory, 64, config -> config.withThreading(threading))) {
            all.job.onThreads(rank -> flood(all, rank, count));
        }
    }

    private static void flood(MessengerPairs all, int rank, int count) {
        final TestMessenger own = all.of(rank, 0);
        final Context context = own.context;
        final int[] calls = new int[1];
        final List<List<Integer>> received = List.of(new ArrayList<>(), new ArrayList<>());
        own.messenger.handler(DISPATCH, message -> {
            if (++calls[0] % 3 != 0) {
                return Status.AGAIN;
            }
            received.get(message.rank()).add(message.payloadInt(0));
            return 0;
        });
        context.barrier(InProcessJob.deadline());
        final Window source = own.source;
        final Message message = new Message().payload(source, 0, Integer.BYTES);
        for (int number = 0; number < count; number++) {
            for (int to = 0; to < 2; to++) {
                source.putInt(0, number);
                message.to(all.of(to, 0).context.endpoint(), DISPATCH);
                while (own.messenger.send(message) < 0) {
                    context.advance();
                }
            }
        }
        context.await(
                () -> received.get(0).size() == count && received.get(1).size() == count, InProcessJob.deadline());
        final List<Integer> expected = IntStream.range(0, count).boxed().toList();
        assertThat(received.get(0)).isEqualTo(expected);
        assertThat(received.get(1)).isEqualTo(expected);
        context.barrier(InProcessJob.deadline());
    }

    @Test
    void shouldHoldOnlyTheLaneOfTheSenderWhoseMessageHasNoRoom() {
        try (MessengerPairs all = new MessengerPairs(directory, 64, config -> config)) {
            final TestMessenger zero = all.of(0, 0);
            final TestMessenger one = all.of(1, 0);
            final boolean[] hasRoom = new boolean[1];
            final List<String> handled = new ArrayList<>();
            final int[] refused = new int[1];
            one.messenger.handler(DISPATCH, message -> {
                if (message.rank() == 0 && !hasRoom[0]) {
                    refused[0]++;
                    return Status.AGAIN;
                }
                handled.add(message.rank() + ":" + message.payloadInt(0));
                return 0;
            });
            for (int number = 1; number <= 2; number++) {
                send(zero, one, number);
                send(one, one, number);
            }
            for (int pass = 0; pass < 10; pass++) {
                zero.context.advance();
                one.context.advance();
            }
            assertThat(handled).containsExactly("1:1", "1:2");
            assertThat(refused[0]).isGreaterThanOrEqualTo(9);

            hasRoom[0] = true;
            all.settle();
            assertThat(handled).containsExactly("1:1", "1:2", "0:1", "0:2");
        }
    }

    /** A handler without room is called again, but that counts as no work: loops that idle without work go on. */
    @Test
    void shouldFindNothingToDoWhileTheHandlerHasNoRoom() {
        try (MessengerPairs all = new MessengerPairs(directory, 64, config -> config)) {
            final TestMessenger one = all.of(1, 0);
            final int[] calls = new int[1];
            one.messenger.handler(DISPATCH, message -> ++calls[0] <= 5 ? Status.AGAIN : 0);
            send(one, one, 1);
            one.context.advance();
            for (int call = 2; call <= 5; call++) {
                assertThat(one.context.advance()).isZero();
                assertThat(calls[0]).isEqualTo(call);
            }
            assertThat(one.context.advance()).isEqualTo(1);
            assertThat(one.context.advance()).isZero();
            assertThat(calls[0]).isEqualTo(6);
        }
    }

    private static void send(TestMessenger from, TestMessenger to, int number) {
        from.source.putInt(0, number);
        final Message message =
                new Message().to(to.context.endpoint(), DISPATCH).payload(from.source, 0, 4);
        assertThat(from.messenger.send(message)).isNotNegative();
    }
}
