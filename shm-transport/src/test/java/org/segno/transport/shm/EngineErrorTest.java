package org.segno.transport.shm;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.segno.context.Client;
import org.segno.context.Context;
import org.segno.engine.fault.CrashPoint;
import org.segno.memory.Target;
import org.segno.memory.Window;
import org.segno.node.JobConfig;
import org.segno.node.Node;
import org.segno.node.NodeConfig.Threading;
import org.segno.status.ClosedException;
import org.segno.status.Deadline;
import org.segno.status.SegnoException;

/**
 * Error in the pass of an engine: it fails its node by name, and its peers are notified although the process is alive.
 */
class EngineErrorTest {
    private static final String REASON =
            "rank 1 has failed: segno-dma-1 ended with java.lang.OutOfMemoryError: made by a test";

    @RegisterExtension
    final ProcessPool pool = new ProcessPool();

    @ParameterizedTest
    @EnumSource
    void shouldFailTheNodeByNameAndNotifyItsPeers(Threading threading) {
        final JobConfig job = pool.job("error", 3);
        final TestProcess hub = pool.start(Peer.class, job, threading, 0);
        final TestProcess failing = pool.start(Failing.class, job, threading, 1);
        final TestProcess peer = pool.start(Peer.class, job, threading, 2);

        assertThat(failing.expect("outcome")).startsWith("ClosedException: " + REASON);
        assertThat(hub.expect("outcome")).startsWith("PeerFailedException 1: ");
        assertThat(peer.expect("outcome")).startsWith("PeerFailedException 1: ");
        assertThat(failing.isAlive()).isTrue();
        // Only now, so that its goodbye has not notified the peers.
        failing.signalScenario();

        assertThat(Long.parseLong(failing.expect("closed after ms"))).isLessThan(2_000);
        failing.awaitEnd();
        hub.awaitEnd();
        peer.awaitEnd();
    }

    /** Closing runs the last passes under INVOKER. */
    @Test
    void shouldLeaveTheJobEvenIfTheLastPassOfItsEngineFails() {
        final JobConfig job = pool.job("error", 3);
        final TestProcess hub = pool.start(Peer.class, job, Threading.INVOKER, 0);
        final TestProcess failing = pool.start(FailingClose.class, job, Threading.INVOKER, 1);
        final TestProcess peer = pool.start(Peer.class, job, Threading.INVOKER, 2);

        assertThat(failing.expect("close")).isEqualTo("threw java.lang.OutOfMemoryError: made by a test");
        assertThat(hub.expect("outcome")).startsWith("PeerFailedException 1: ");
        assertThat(peer.expect("outcome")).startsWith("PeerFailedException 1: ");
        assertThat(failing.expect("node files")).isEqualTo("0");
        failing.signalScenario();
        failing.awaitEnd();
        hub.awaitEnd();
        peer.awaitEnd();
    }

    /** Waits for the rank that fails. */
    static final class Peer implements Scenario {
        @Override
        public void run(ScenarioRun run) {
            try (Node node = run.join()) {
                final Client client = node.client();
                client.publish("inbox", client.receptionCounter(client.window(8), 0, 8));
                client.context().barrier(ScenarioRun.deadline());
                run.print("outcome " + outcome(() -> client.context().barrier(ScenarioRun.deadline())));
            }
        }
    }

    /** Its engine throws an error at the next landing. */
    static final class Failing implements Scenario {
        @Override
        public void run(ScenarioRun run) throws InterruptedException {
            final Node node = run.join();
            try {
                final Context context = node.client().context();
                final Window window = node.client().window(8);
                final Target inbox = context.attach(2, "inbox", ScenarioRun.deadline());
                context.barrier(ScenarioRun.deadline());
                CrashPoint.install(point -> {
                    throw new OutOfMemoryError("made by a test");
                });
                context.put(inbox, 0, window, 0, 8);
                advanceToTheError(context);
                CrashPoint.install(point -> {});
                run.print("outcome " + outcome(() -> context.barrier(ScenarioRun.deadline())));
                run.awaitSignal();
            } finally {
                final long startNs = System.nanoTime();
                node.close();
                run.print("closed after ms " + (System.nanoTime() - startNs) / 1_000_000);
            }
        }

        /**
         * Under INVOKER the error is thrown where the application runs its engine, in the other modes the wait ends.
         */
        private static void advanceToTheError(Context context) {
            final long deadlineNs = ScenarioRun.deadline();
            try {
                while (!Deadline.reached(deadlineNs)) {
                    context.advance();
                }
                throw new AssertionError("the engine goes on");
            } catch (OutOfMemoryError | ClosedException expected) {
                assertThat(expected).hasMessageContaining("made by a test");
            }
        }
    }

    /** Its engine throws an error in the pass that closing the node runs. */
    static final class FailingClose implements Scenario {
        @Override
        public void run(ScenarioRun run) throws InterruptedException, IOException {
            final Node node = run.join();
            final Context context = node.client().context();
            final Window window = node.client().window(8);
            final Target inbox = context.attach(2, "inbox", ScenarioRun.deadline());
            context.barrier(ScenarioRun.deadline());
            context.put(inbox, 0, window, 0, 8);
            CrashPoint.install(point -> {
                throw new OutOfMemoryError("made by a test");
            });
            try {
                node.close();
                run.print("close returned");
            } catch (OutOfMemoryError e) {
                run.print("close threw " + e);
            } finally {
                CrashPoint.install(point -> {});
            }
            run.print("node files " + openNodeFiles());
            run.awaitSignal();
        }

        private static long openNodeFiles() throws IOException {
            long found = 0;
            try (DirectoryStream<Path> files = Files.newDirectoryStream(Path.of("/proc/self/fd"))) {
                for (final Path file : files) {
                    if (Files.isSymbolicLink(file)
                            && Files.readSymbolicLink(file).toString().contains("node-")) {
                        found++;
                    }
                }
            }
            return found;
        }
    }

    private static String outcome(Runnable wait) {
        try {
            wait.run();
            return "nothing";
        } catch (SegnoException e) {
            return Outcome.of(e);
        }
    }
}
