package org.segno.transport.shm;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.segno.context.Client;
import org.segno.context.Context;
import org.segno.memory.CounterPair;
import org.segno.memory.Target;
import org.segno.memory.Window;
import org.segno.node.ClientConfig;
import org.segno.node.JobConfig;
import org.segno.node.Node;
import org.segno.node.NodeConfig.Threading;
import org.segno.pattern.Pattern;
import org.segno.pattern.Rounds;
import org.segno.status.Status;

/** Two middlewares in each of two processes, alike in all but their names, each on a thread of its own. */
@Tag("long")
class MiddlewaresTest {
    private static final int DISPATCH = 5;
    private static final int ROUNDS = 2_000;

    @RegisterExtension
    final ProcessPool pool = new ProcessPool();

    @ParameterizedTest
    @CsvSource({"INVOKER, INVOKER", "INVOKER, DEDICATED"})
    void shouldWorkAtOnceAndMixNothing(Threading first, Threading second) {
        final JobConfig job = pool.job("middlewares", 2);
        final TestProcess left = pool.start(Both.class, job, first, 0);
        final TestProcess right = pool.start(Both.class, job, second, 1);

        for (final TestProcess process : List.of(left, right)) {
            assertThat(process.expect("rounds")).isEqualTo(Integer.toString(2 * ROUNDS));
            process.awaitEnd();
        }
    }

    /** Process with both middlewares. */
    static final class Both implements Scenario {
        @Override
        public void run(ScenarioRun run) {
            final ExecutorService threads = Executors.newFixedThreadPool(2);
            try (Node node = Node.join(
                    run.job(), run.config().withContexts(2).withEngines(2).withWindowBytes(1 << 14))) {
                // Each process opens them in another order.
                final List<String> names = node.rank() == 0 ? List.of("alpha", "beta") : List.of("beta", "alpha");
                final List<Future<Integer>> ends = new ArrayList<>();
                final CountDownLatch opened = new CountDownLatch(2);
                for (final String name : names) {
                    final Client client = node.openClient(
                            ClientConfig.named(name).withCounters(2, 4).withWindowBytes(1 << 12));
                    ends.add(threads.submit(() -> {
                        opened.countDown();
                        opened.await();
                        return new Middleware(client, 1 - node.rank()).run();
                    }));
                }
                int rounds = 0;
                for (final Future<Integer> end : ends) {
                    rounds += end.get(60, TimeUnit.SECONDS);
                }
                run.print("rounds " + rounds);
            } catch (ExecutionException | InterruptedException | TimeoutException e) {
                throw new IllegalStateException(e);
            } finally {
                threads.shutdown();
            }
        }
    }

    /**
     * Middleware that sends a message and replays a pattern in every round, and receives as much from the middleware of
     * the same name.
     */
    private static final class Middleware {
        private final Client client;
        private final Context context;
        private final int peer;
        private final long tag;
        private int received;

        Middleware(Client client, int peer) {
            this.client = client;
            this.context = client.context();
            this.peer = peer;
            this.tag = client.name().hashCode();
        }

        int run() {
            final UnsafeBuffer number = new UnsafeBuffer(new byte[8]);
            context.handler(DISPATCH, (source, buffer, m, ml, p, pl) -> require(buffer.getLong(m), received++));
            final Window window = client.window(128);
            final CounterPair inbox = client.counterPair(window, 64, 72, 8);
            client.publish("inbox", inbox);
            final Target to = context.attach(peer, "inbox", ScenarioRun.deadline());
            final long endpoint = client.endpoint(peer, 0, ScenarioRun.deadline());
            context.barrier(ScenarioRun.deadline());
            window.buffer().putLong(0, tag + 1);
            final Pattern pattern = context.record(1, Rounds.ALTERNATE, () -> {
                context.expect(inbox, 8);
                context.put(to, 0, window, 0, 8);
            });
            for (int round = 1; round <= ROUNDS; round++) {
                number.putLong(0, tag + round - 1);
                while (context.sendImmediate(endpoint, DISPATCH, number, 0, 8) == Status.BACK_PRESSURED) {
                    context.advance();
                }
                context.await(pattern, round, ScenarioRun.deadline());
                require(window.buffer().getLong(round % 2 == 0 ? 64 : 72), round);
                window.buffer().putLong(0, tag + round + 1);
                if (round < ROUNDS && context.replay(pattern) != round + 1) {
                    throw new IllegalStateException("round " + round + " is not over");
                }
            }
            context.await(() -> received == ROUNDS, ScenarioRun.deadline());
            context.barrier(ScenarioRun.deadline());
            return ROUNDS;
        }

        private void require(long got, long expected) {
            if (got != tag + expected) {
                throw new IllegalStateException(client + " got " + (got - tag) + " instead of " + expected);
            }
        }
    }
}
