package org.segno.context;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.segno.memory.Target;
import org.segno.memory.Window;
import org.segno.node.ClientConfig;
import org.segno.node.InProcessJob;
import org.segno.node.NodeConfig;
import org.segno.node.NodeConfig.Threading;
import org.segno.pattern.Pattern;
import org.segno.pattern.PatternAccess;
import org.segno.pattern.Rounds;
import org.segno.status.ClosedException;
import org.segno.status.Status;

/** Starts that need nothing but an entry in the run ring, and what must prevent them. */
@Timeout(120)
class StartAloneTest {
    private static final int DISPATCH = 1;

    @TempDir
    private Path parent = Path.of("");

    private InProcessJob join() {
        return InProcessJob.join(
                parent,
                1,
                NodeConfig.defaults()
                        .withThreading(Threading.INVOKER)
                        .withContexts(2)
                        .withWindowBytes(1 << 16));
    }

    /** Records a PUT of a client to itself under a name, and replays it until a start needs only its entry. */
    private static Pattern ready(Client client, Context context, String name) {
        final Window window = client.window(64);
        client.publish(name, client.receptionCounter(window, 0, 64));
        final Target to = context.attach(0, name, InProcessJob.deadline());
        final Pattern pattern =
                context.record(1, Rounds.ORDERED_BY_CALLER, () -> context.put(to, 0, window, 8, Long.BYTES));
        for (int round = 2; round < 5; round++) {
            context.await(pattern, pattern.generation(), InProcessJob.deadline());
            assertThat(context.replay(pattern)).isEqualTo(round);
        }
        context.await(pattern, pattern.generation(), InProcessJob.deadline());
        return pattern;
    }

    @Test
    void shouldStartARoundByItsEntryAlone() {
        try (InProcessJob job = join()) {
            final Pattern pattern = ready(job.node(0).client(), job.context(0), "in");
            final long replays = job.node(0).metrics().replays();

            assertThat(PatternAccess.start(pattern)).isEqualTo(5);

            assertThat(job.node(0).metrics().replays() - replays).isEqualTo(1);
            assertThatThrownBy(() -> job.context(0).replay(pattern, Long.MAX_VALUE))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("at most 2^62");
            assertThat(PatternAccess.start(pattern)).as("in progress").isZero();
            assertThat(job.context(0).replay(pattern)).isEqualTo(Status.BUSY);
            job.context(0).await(pattern, 5, InProcessJob.deadline());
            assertThat(pattern.isSound()).isTrue();
        }
    }

    @Test
    void shouldRefuseAStartInAHandlerAndAllowTheNextOne() {
        try (InProcessJob job = join()) {
            final Context context = job.context(0);
            final Pattern pattern = ready(job.node(0).client(), context, "in");
            final List<Throwable> refusals = new ArrayList<>();
            context.handler(DISPATCH, (origin, buffer, metadata, metadataLength, payload, length) -> {
                try {
                    context.replay(pattern);
                } catch (final IllegalStateException e) {
                    refusals.add(e);
                }
            });
            context.sendImmediate(context.endpoint(), DISPATCH, new UnsafeBuffer(new byte[8]), 0, 8);
            context.await(() -> !refusals.isEmpty(), InProcessJob.deadline());

            assertThat(refusals)
                    .singleElement()
                    .satisfies(refusal ->
                            assertThat(refusal).hasMessageContaining("a replay is not possible in a handler"));
            assertThat(pattern.generation()).isEqualTo(4);
            assertThat(PatternAccess.start(pattern)).isEqualTo(5);
        }
    }

    @Test
    void shouldRefuseAStartInARecordingAndAllowTheNextOne() {
        try (InProcessJob job = join()) {
            final Context context = job.context(0);
            final Pattern pattern = ready(job.node(0).client(), context, "in");
            context.recordBegin(2, Rounds.ORDERED_BY_CALLER);

            assertThatThrownBy(() -> context.replay(pattern))
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("inside record");

            context.recordEnd();
            assertThat(PatternAccess.start(pattern)).isEqualTo(5);
        }
    }

    @Test
    void shouldRefuseAStartOnceTheContextIsClosed() {
        try (InProcessJob job = join()) {
            final Context context = job.context(0);
            final Pattern pattern = ready(job.node(0).client(), context, "in");
            context.close("a test has closed it");

            assertThatThrownBy(() -> context.replay(pattern))
                    .isInstanceOf(ClosedException.class)
                    .hasMessageContaining("a test has closed it");
            assertThat(pattern.generation()).isEqualTo(4);
        }
    }

    @Test
    void shouldStartInTheNextUseOfAContext() {
        try (InProcessJob job = join()) {
            final List<Pattern> closed = new ArrayList<>();
            final List<Context> formerUses = new ArrayList<>();
            for (int use = 0; use < 3; use++) {
                final Client client = job.node(0)
                        .openClient(ClientConfig.named("next" + use)
                                .withContexts(1)
                                .withWindowBytes(1024)
                                .withCounters(1, 1));
                final Pattern pattern = ready(client, client.context(0), "in" + use);
                for (final Context former : formerUses) {
                    assertThatThrownBy(() -> former.replay(pattern)).isInstanceOf(ClosedException.class);
                }
                assertThat(PatternAccess.start(pattern)).isEqualTo(5);
                formerUses.add(client.context(0));
                client.close();
                closed.add(pattern);
            }
            assertThat(closed).allMatch(pattern -> PatternAccess.start(pattern) == 0);
        }
    }
}
