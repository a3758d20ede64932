package org.segno.transport.shm;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.segno.context.Client;
import org.segno.context.Context;
import org.segno.geometry.Endpoint;
import org.segno.memory.CounterPair;
import org.segno.memory.InjectionCounter;
import org.segno.memory.ReceptionCounter;
import org.segno.memory.Target;
import org.segno.memory.Window;
import org.segno.node.JobConfig;
import org.segno.node.Node;
import org.segno.node.NodeConfig.Threading;
import org.segno.operation.Message;
import org.segno.pattern.Pattern;
import org.segno.pattern.Rounds;
import org.segno.status.Status;

/** Every operation between the nodes of a job, in several distributions of the nodes over processes. */
class JobTest {
    @RegisterExtension
    final ProcessPool pool = new ProcessPool();

    static Stream<Arguments> requests() {
        return withEachThreading(List.of(List.of(0), List.of(1)), List.of(List.of(0, 1), List.of(2), List.of(3)));
    }

    static Stream<Arguments> furtherRequests() {
        return withEachThreading(
                List.of(List.of(2), List.of(0, 3), List.of(1)),
                List.of(List.of(0), List.of(1), List.of(2), List.of(3)));
    }

    private static Stream<Arguments> withEachThreading(List<List<Integer>> one, List<List<Integer>> other) {
        return Stream.of(Threading.values())
                .flatMap(threading -> Stream.of(Arguments.of(threading, one), Arguments.of(threading, other)));
    }

    @ParameterizedTest
    @MethodSource("requests")
    void shouldCarryOutEveryOperationBetweenAllRanks(Threading threading, List<List<Integer>> processes) {
        requireEveryOperation(threading, processes);
    }

    @ParameterizedTest
    @Tag("long")
    @MethodSource("furtherRequests")
    void shouldCarryOutEveryOperationInFurtherDistributions(Threading threading, List<List<Integer>> processes) {
        requireEveryOperation(threading, processes);
    }

    private void requireEveryOperation(Threading threading, List<List<Integer>> processes) {
        final int size = processes.stream().mapToInt(List::size).sum();
        final JobConfig job = pool.job("all", size);
        final List<TestProcess> started = new ArrayList<>();
        for (final List<Integer> ranks : processes) {
            started.add(pool.start(AllOperations.class, job, threading, ranks));
        }
        started.forEach(TestProcess::awaitEnd);
    }

    /** Carries out every operation between each two ranks, and of each rank with itself. */
    static final class AllOperations implements Scenario {
        private static final int DISPATCH = 7;
        private static final int MESSAGES = 200;
        private static final int ROUNDS = 300;
        private static final int BLOCK = 1000;

        @Override
        public void run(ScenarioRun run) throws Exception {
            run.onEachNode(AllOperations::runAll);
        }

        static void runAll(Node node) {
            putToAll(node);
            sendToAll(node);
            exchangeWithNeighbours(node);
            node.client().context().barrier(ScenarioRun.deadline());
        }

        private static void putToAll(Node node) {
            final Client client = node.client();
            final Context context = client.context();
            final Window window = client.window((long) BLOCK * (node.size() + 1));
            final ReceptionCounter counter = client.receptionCounter(window, BLOCK, (long) BLOCK * node.size());
            final InjectionCounter injected = client.injectionCounter();
            counter.expect((long) BLOCK * node.size());
            injected.expect((long) BLOCK * node.size());
            client.publish("blocks", counter);
            window.buffer().setMemory(0, BLOCK, (byte) (node.rank() + 1));
            for (int rank = 0; rank < node.size(); rank++) {
                final Target target = context.attach(rank, "blocks", ScenarioRun.deadline());
                assertThat(context.put(target, (long) BLOCK * node.rank(), window, 0, BLOCK, injected))
                        .isNotNegative();
            }
            context.await(counter, ScenarioRun.deadline());
            context.await(injected, ScenarioRun.deadline());
            for (int i = 0; i < BLOCK * node.size(); i++) {
                assertThat(window.buffer().getByte(BLOCK + i)).isEqualTo((byte) (i / BLOCK + 1));
            }
        }

        private static void sendToAll(Node node) {
            final Context context = node.client().context();
            final Window window = node.client().window(2048);
            final long[] received = new long[node.size()];
            context.handler(DISPATCH, (source, buffer, metadata, metadataLength, payload, payloadLength) -> {
                assertThat(buffer.getLong(metadataLength == 0 ? payload : metadata, ByteOrder.nativeOrder()))
                        .isEqualTo(received[Endpoint.task(source)]++);
                assertThat(payloadLength).isGreaterThanOrEqualTo(metadataLength == 0 ? 8 : 0);
            });
            context.barrier(ScenarioRun.deadline());
            final UnsafeBuffer value = new UnsafeBuffer(new byte[32]);
            final Message message = new Message();
            for (int i = 0; i < MESSAGES; i++) {
                value.putLong(0, i);
                for (int rank = 0; rank < node.size(); rank++) {
                    message.to(rank, DISPATCH).metadata(value, 0, 8 + i % 17).payload(window, i, i);
                    while ((i % 2 == 0
                                    ? context.send(message)
                                    : context.sendImmediate(rank, DISPATCH, value, 0, 8 + i % 25))
                            == Status.BACK_PRESSURED) {
                        context.advance();
                    }
                }
            }
            context.await(() -> Arrays.stream(received).allMatch(count -> count == MESSAGES), ScenarioRun.deadline());
        }

        /** Exchanges with both neighbours, so that no rank is more than a round ahead of either. */
        private static void exchangeWithNeighbours(Node node) {
            final Client client = node.client();
            final Context context = client.context();
            final int left = (node.rank() + node.size() - 1) % node.size();
            final int right = (node.rank() + 1) % node.size();
            final Window window = client.window(5 * 64);
            final CounterPair fromLeft = client.counterPair(window, 64, 128, 64, left);
            final CounterPair fromRight = client.counterPair(window, 192, 256, 64, right);
            client.publish("from left", fromLeft);
            client.publish("from right", fromRight);
            final Target atRight = context.attach(right, "from left", ScenarioRun.deadline());
            final Target atLeft = context.attach(left, "from right", ScenarioRun.deadline());
            window.buffer().putLong(0, node.rank());
            final Pattern exchange = context.record(1, Rounds.ALTERNATE, () -> {
                context.expect(fromLeft, 8);
                context.expect(fromRight, 8);
                context.put(atRight, 16, window, 0, 8);
                context.put(atLeft, 16, window, 0, 8);
            });
            for (long round = 1; round <= ROUNDS; round++) {
                context.await(exchange, round, ScenarioRun.deadline());
                assertThat(window.buffer().getLong((int) fromLeft.offset(round) + 16))
                        .isEqualTo(left + 100 * (round - 1));
                assertThat(window.buffer().getLong((int) fromRight.offset(round) + 16))
                        .isEqualTo(right + 100 * (round - 1));
                if (round < ROUNDS) {
                    window.buffer().putLong(0, node.rank() + 100 * round);
                    assertThat(context.replay(exchange)).isEqualTo(round + 1);
                }
            }
        }
    }
}
