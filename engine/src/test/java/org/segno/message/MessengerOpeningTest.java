package org.segno.message;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.segno.context.Client;
import org.segno.engine.dispatch.DispatchTable;
import org.segno.memory.InjectionCounter;
import org.segno.memory.ReceptionCounter;
import org.segno.memory.Window;
import org.segno.node.ClientConfig;
import org.segno.node.InProcessJob;
import org.segno.node.NodeConfig;
import org.segno.node.NodeConfig.Threading;
import org.segno.node.OverMemoryAndLinks;
import org.segno.status.Deadline;

/** Resources that the opening of a messenger takes, and the return of all of them where it fails. */
@OverMemoryAndLinks
class MessengerOpeningTest {
    @TempDir
    Path directory;

    private static NodeConfig config() {
        return NodeConfig.defaults().withThreading(Threading.INVOKER).withWindowBytes(100_000);
    }

    /** Fails the opening, and requires that all resources are free again afterwards. */
    private static void requireNothingTaken(InProcessJob job, String remedy) {
        final Client client = job.node(0).client();
        client.context();
        final String before = client.toString();
        // Without their return, the counters would not last for so many attempts.
        for (int attempt = 0; attempt < 20; attempt++) {
            assertThatThrownBy(() -> Messenger.open(client, client.context()))
                    .isInstanceOfAny(IllegalArgumentException.class, IllegalStateException.class)
                    .hasMessageContaining(remedy);
            final long deadlineNs = InProcessJob.deadline();
            while (!client.toString().equals(before) && !Deadline.reached(deadlineNs)) {
                job.settle();
                // A client checks pending closes when it creates an object; this invalid call triggers the check.
                assertThatThrownBy(() -> client.window(0)).isInstanceOf(IllegalArgumentException.class);
            }
            assertThat(client).hasToString(before);
        }
    }

    /** Opens a messenger once the closed objects have been returned. */
    private static void openInTime(InProcessJob job) {
        final Client client = job.node(0).client();
        final long deadlineNs = InProcessJob.deadline();
        while (true) {
            try {
                Messenger.open(client, client.context());
                return;
            } catch (final IllegalStateException | IllegalArgumentException e) {
                if (Deadline.reached(deadlineNs)) {
                    throw e;
                }
                job.settle();
            }
        }
    }

    @Test
    void shouldTakeNothingWhereInjectionCountersAreMissingAndOpenOnceTheyAreThere() {
        try (InProcessJob job = InProcessJob.join(directory, 2, config().withCounters(10, 10))) {
            final Client client = job.node(0).client();
            final List<InjectionCounter> others = new ArrayList<>();
            for (int i = 0; i < 3; i++) {
                others.add(client.injectionCounter());
            }
            requireNothingTaken(job, "raise");
            others.forEach(client::close);
            openInTime(job);
        }
    }

    @Test
    void shouldTakeNothingWhereReceptionCountersAreMissingAndOpenOnceTheyAreThere() {
        try (InProcessJob job = InProcessJob.join(directory, 2, config().withCounters(10, 4))) {
            final Client client = job.node(0).client();
            final Window window = client.window(8);
            final List<ReceptionCounter> others = new ArrayList<>();
            try {
                while (true) {
                    others.add(client.receptionCounter(window, 0, 8));
                }
            } catch (final IllegalStateException e) {
                assertThat(others).isNotEmpty();
            }
            requireNothingTaken(job, "raise");
            client.close(others.get(0));
            openInTime(job);
        }
    }

    @Test
    void shouldTakeNothingWhereWindowMemoryIsMissing() {
        try (InProcessJob job = InProcessJob.join(directory, 2, config().withWindowBytes(2_000))) {
            requireNothingTaken(job, "raise NodeConfig.withWindowBytes");
        }
    }

    @Test
    void shouldTakeNothingWhereAFifoIsMissing() {
        try (InProcessJob job = InProcessJob.join(directory, 2, config().withFifos(2))) {
            requireNothingTaken(job, "withFifos");
        }
    }

    @Test
    void shouldTakeNothingForASecondOne() {
        try (InProcessJob job = InProcessJob.join(directory, 2, config())) {
            Messenger.open(job.node(0).client(), job.context(0));
            requireNothingTaken(job, "has a messenger already");
        }
    }

    @Test
    void shouldRefuseAContextOfAnotherNodeOrClientByName() {
        try (InProcessJob job = InProcessJob.join(directory, 2, config().withContexts(2))) {
            final Client own = job.node(0).client();
            final Client left = job.node(0).openClient(ClientConfig.named("left"));
            assertThatThrownBy(() -> Messenger.open(own, job.context(1)))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("context 0 of rank 1 belongs to the node's own client")
                    .hasMessageContaining("not with the node's own client of rank 0");
            assertThatThrownBy(() -> Messenger.open(own, left.context()))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("of rank 0 belongs to client \"left\"");
            assertThatThrownBy(() -> Messenger.open(left, own.context()))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("not with client \"left\" of rank 0");
            Messenger.open(own, own.context());
            Messenger.open(job.node(1).client(), job.context(1));
        }
    }

    @Test
    void shouldKeepTheDispatchIdOfAnnouncementsForMessengers() {
        try (InProcessJob job = InProcessJob.join(directory, 2, config())) {
            for (int attempt = 0; attempt < 2; attempt++) {
                assertThatThrownBy(() -> job.context(0)
                                .handler(DispatchTable.ANNOUNCEMENTS, (origin, buffer, m, ml, p, pl) -> {}))
                        .isInstanceOf(IllegalArgumentException.class)
                        .hasMessageContaining("65535")
                        .hasMessageContaining("choose a lower one");
                assertThatThrownBy(() -> job.context(0)
                                .replyingHandler(DispatchTable.ANNOUNCEMENTS, (origin, buffer, m, ml, p, pl) -> 0))
                        .isInstanceOf(IllegalArgumentException.class);
                assertThatThrownBy(() -> job.context(0)
                                .notified(DispatchTable.ANNOUNCEMENTS, (origin, counter, offset, length) -> {}))
                        .isInstanceOf(IllegalArgumentException.class);
                if (attempt == 0) {
                    Messenger.open(job.node(0).client(), job.context(0));
                }
            }
        }
    }
}
