package org.segno.context;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.segno.memory.CounterPair;
import org.segno.memory.ReceptionCounter;
import org.segno.memory.Target;
import org.segno.memory.Window;
import org.segno.multisend.Blocks;
import org.segno.multisend.Vectored;
import org.segno.node.ClientConfig;
import org.segno.node.InProcessJob;
import org.segno.node.NodeConfig;
import org.segno.node.NodeConfig.Threading;
import org.segno.pattern.Pattern;
import org.segno.pattern.Rounds;
import org.segno.status.Deadline;
import org.segno.status.DeadlineException;

/** Names of published counters in messages, beside their numbers. */
class PublishedNameTest {
    @TempDir
    Path parent;

    private InProcessJob job;
    private Client client;
    private Window window;

    @BeforeEach
    void join() {
        job = InProcessJob.join(
                parent,
                2,
                NodeConfig.defaults()
                        .withThreading(Threading.INVOKER)
                        .withContexts(2)
                        .withWindowBytes(1 << 14));
        client = job.node(0).client();
        window = client.window(1024);
    }

    @AfterEach
    void close() {
        job.close();
    }

    private static long soon() {
        return Deadline.in(5, TimeUnit.MILLISECONDS);
    }

    @Test
    void shouldNameACounterWhileItIsPublished() {
        final ReceptionCounter counter = client.receptionCounter(window, 0, 64);
        final String unnamed = "reception counter " + counter.id();
        assertThat(counter).hasToString(unnamed);
        client.publish("inbox", counter);
        client.publish("other", client.receptionCounter(window, 0, 64));
        counter.expect(8);

        assertThat(counter).hasToString(unnamed + " \"inbox\"");
        assertThatThrownBy(() -> job.context(0).await(counter, soon()))
                .isInstanceOf(DeadlineException.class)
                .hasMessageContaining(unnamed + " \"inbox\"");
        assertThatThrownBy(() -> client.close(window)).hasMessageContaining(unnamed + " \"inbox\" covers");
        client.withdraw("inbox");
        assertThat(counter).hasToString(unnamed);
    }

    @Test
    void shouldNameAPairAndEachOfItsCounters() {
        final CounterPair pair = client.counterPair(window, 0, 64, 64);
        client.publish("halo", pair);
        final Target self = job.context(0).attach(0, "halo", InProcessJob.deadline());

        assertThat(pair).hasToString("counter pair " + pair.id() + ", " + (pair.id() + 1) + " \"halo\"");
        assertThat(pair.counter(1)).hasToString("reception counter " + (pair.id() + 1) + " \"halo\"");
        final Pattern pattern = job.context(0).prepare(Rounds.ALTERNATE, () -> {
            job.context(0).expect(pair, 16);
            job.context(0).put(self, 0, window, 512, 8);
        });
        job.context(0).replay(pattern);
        assertThatThrownBy(() -> job.context(0).await(pattern, 1, soon())).hasMessageContaining("\"halo\"");
    }

    @Test
    void shouldNameTheTargetOfARefusedRange() {
        final Client there =
                job.node(1).openClient(ClientConfig.named("library").withWindowBytes(1024));
        final Client library =
                job.node(0).openClient(ClientConfig.named("library").withWindowBytes(1024));
        final ReceptionCounter counter = there.receptionCounter(there.window(64), 0, 64);
        there.publish("inbox", counter);
        final Target target = library.context().attach(1, "inbox", InProcessJob.deadline());
        final Window source = library.window(128);
        final String name = "64 bytes of reception counter " + counter.id() + " \"library/inbox\" of rank 1";

        assertThatThrownBy(() -> library.context().put(target, 60, source, 0, 8))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining(name);
        assertThatThrownBy(() -> new Vectored(library.context())
                        .put(target, Blocks.contiguous(60, 8), source, Blocks.contiguous(0, 8), null))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining(name);
        there.withdraw("inbox");
        assertThatThrownBy(() -> library.context().put(target, 60, source, 0, 8))
                .hasMessageContaining("reception counter " + counter.id() + " of rank 1");
    }

    @Test
    void shouldNameTheMethodOfASetting() {
        assertThatThrownBy(() -> client.window(1 << 20)).hasMessageContaining("raise NodeConfig.withWindowBytes");
        assertThatThrownBy(() -> {
                    for (int i = 0; i < 1000; i++) {
                        client.injectionCounter();
                    }
                })
                .hasMessageContaining("raise withCounters");
        assertThatThrownBy(() -> NodeConfig.defaults().withFifoSlots(48).fileBytes(2))
                .hasMessage("fifoSlots must be a power of two, set NodeConfig.withFifoSlots: fifoSlots=48");
        assertThatThrownBy(() -> NodeConfig.defaults().withLaneBudgetBytes(1).fileBytes(2))
                .hasMessageContaining("withLaneBudgetBytes must be at least");
    }
}
