package org.segno.transport.shm;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.TimeUnit;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.segno.context.Client;
import org.segno.context.Context;
import org.segno.geometry.Endpoint;
import org.segno.memory.Closing;
import org.segno.node.ClientConfig;
import org.segno.node.JobConfig;
import org.segno.node.Node;
import org.segno.node.NodeConfig;
import org.segno.node.NodeConfig.Threading;
import org.segno.status.Deadline;
import org.segno.status.DeadlineException;

/** Closing of a client while processes flood it, and while one of them is killed. */
class ClientCloseTest {
    private static final int DISPATCH = 3;
    private static final int USES = 20;
    private static final ClientConfig ALPHA = ClientConfig.named("alpha").withCounters(2, 2);

    @RegisterExtension
    final ProcessPool pool = new ProcessPool();

    @ParameterizedTest
    @EnumSource
    void shouldCloseAndOpenAClientWhileAPeerIsKilled(Threading threading) {
        final JobConfig job = pool.job("client", 3);
        final TestProcess owner = pool.start(Owner.class, job, threading, 0);
        final TestProcess killed = pool.start(Flooder.class, job, threading, 1);
        final TestProcess healthy = pool.start(Flooder.class, job, threading, 2);
        killed.expect("flooding");
        healthy.expect("flooding");
        owner.signalScenario();
        owner.expect("half of the uses");

        killed.kill();

        assertThat(owner.expect("uses")).isEqualTo(Integer.toString(USES));
        healthy.signalScenario();
        healthy.awaitEnd();
        owner.awaitEnd();
    }

    private static NodeConfig config(ScenarioRun run) {
        return run.config().withContexts(2).withLaneBudgetBytes(1 << 18);
    }

    /** Opens and closes a client, and checks that each use receives only messages that are meant for it. */
    static final class Owner implements Scenario {
        @Override
        public void run(ScenarioRun run) throws InterruptedException {
            try (Node node = run.join(config(run))) {
                final Context own = node.client().context();
                final long deadlineNs = ScenarioRun.deadline();
                Client client = open(node, new long[1]);
                while (!run.isSignalled()) {
                    client.context().advance();
                    own.advance();
                }
                for (int use = 1; use <= USES; use++) {
                    final Closing closing = client.close();
                    node.client().await(closing, own, deadlineNs);
                    final long[] received = {0};
                    client = open(node, received);
                    while (received[0] < 20) {
                        client.context().advance();
                        own.advance();
                        if (Deadline.reached(deadlineNs)) {
                            throw new AssertionError("no message for use " + use);
                        }
                    }
                    if (use == USES / 2) {
                        run.print("half of the uses");
                    }
                }
                run.print("uses " + Endpoint.use(client.context().endpoint()));
                while (node.peerState(2) == Node.PeerState.RUNNING && !Deadline.reached(deadlineNs)) {
                    client.context().advance();
                    own.advance();
                }
            }
        }

        private static Client open(Node node, long[] received) {
            final Client client = node.openClient(ALPHA);
            final long endpoint = client.context().endpoint();
            client.context().handler(DISPATCH, (origin, buffer, m, ml, p, pl) -> {
                if (buffer.getLong(p) != endpoint) {
                    throw new AssertionError("a message for " + Endpoint.toString(buffer.getLong(p)) + " reached "
                            + Endpoint.toString(endpoint));
                }
                received[0]++;
            });
            return client;
        }
    }

    /** Sends to the client as found last, and often to the one before, until it is signalled or killed. */
    static final class Flooder implements Scenario {
        @Override
        public void run(ScenarioRun run) {
            try (Node node = run.join(config(run))) {
                final Client client = node.openClient(ALPHA);
                final Context context = client.context();
                final Context own = node.client().context();
                final UnsafeBuffer bytes = new UnsafeBuffer(new byte[Long.BYTES]);
                long present = client.endpoint(0, 0, ScenarioRun.deadline());
                long before = present;
                run.print("flooding");
                for (int sends = 0; !run.isSignalled(); sends++) {
                    final long to = sends % 3 == 0 ? before : present;
                    bytes.putLong(0, to);
                    context.sendImmediate(to, DISPATCH, bytes, 0, Long.BYTES);
                    context.advance();
                    own.advance();
                    if (sends % 64 == 0) {
                        final long found = find(client);
                        before = found < 0 || found == present ? before : present;
                        present = found < 0 ? present : found;
                    }
                }
            }
        }

        private static long find(Client client) {
            try {
                return client.endpoint(0, 0, Deadline.in(0, TimeUnit.NANOSECONDS));
            } catch (final DeadlineException e) {
                return -1;
            }
        }
    }
}
