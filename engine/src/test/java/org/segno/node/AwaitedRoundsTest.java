package org.segno.node;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import org.agrona.concurrent.UnsafeBuffer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.segno.context.Context;
import org.segno.context.ContextAccess;
import org.segno.memory.Closing;
import org.segno.memory.ReceptionCounter;
import org.segno.memory.Right;
import org.segno.memory.Target;
import org.segno.memory.Window;
import org.segno.node.NodeConfig.Threading;
import org.segno.pattern.Pattern;
import org.segno.pattern.Rounds;
import org.segno.status.ClosedException;
import org.segno.status.Deadline;
import org.segno.status.DeadlineException;
import org.segno.status.RefusedException;

/** Rounds whose caller awaits them, which the engine of the calling thread begins when they start. */
@Timeout(120)
class AwaitedRoundsTest {
    private static final int ID = 1;

    @TempDir
    Path parent;

    private final UnsafeBuffer word = new UnsafeBuffer(new byte[8]);
    private final List<Long> received = new ArrayList<>();
    private @Nullable Window source;
    private @Nullable Window landing;

    /** Counter of rank 1 to which {@link #put} sends. */
    private @Nullable ReceptionCounter landed;

    private InProcessJob join(Threading threading) {
        final InProcessJob job = InProcessJob.join(parent, 2, SmallNodes.config(threading, 2));
        job.context(0)
                .handler(
                        ID,
                        (origin, buffer, metadata, metadataLength, payload, length) ->
                                received.add(buffer.getLong(metadataLength == 0 ? payload : metadata)));
        source = job.node(0).client().window(64);
        landing = job.node(1).client().window(64);
        return job;
    }

    private Window here() {
        return Objects.requireNonNull(source);
    }

    private Window there() {
        return Objects.requireNonNull(landing);
    }

    private static ReceptionCounter counter(InProcessJob job, int rank, Window window) {
        final ReceptionCounter counter =
                job.node(rank).client().receptionCounter(window, 0, 64, ReceptionCounter.ANYBODY, Right.PUT);
        job.node(rank).client().publish("in", counter);
        return counter;
    }

    /** Records a PUT of rank 0 to rank 1, which is settled. */
    private Pattern put(InProcessJob job) {
        landed = counter(job, 1, there());
        final Target in = job.context(0).attach(1, "in", InProcessJob.deadline());
        final Pattern pattern = job.context(0)
                .record(1, Rounds.ORDERED_BY_CALLER, () -> job.context(0).put(in, 0, here(), 0, 8));
        job.settle();
        return pattern;
    }

    @Test
    void shouldExecuteARoundWithoutAPass() {
        try (InProcessJob job = join(Threading.INVOKER)) {
            final Pattern pattern = put(job);
            final long descriptors = job.node(0).metrics().descriptors();
            here().putLong(0, 42);

            final long round = ContextAccess.begin(job.context(0), pattern);

            assertThat(round).isEqualTo(2);
            assertThat(there().getLong(0)).isEqualTo(42);
            assertThat(ContextAccess.isOver(job.context(0), pattern)).isTrue();
            assertThat(job.context(0).isDrained()).isTrue();
            assertThat(job.node(0).metrics().descriptors() - descriptors).isEqualTo(1);
            assertThat(job.context(0).advance()).isZero();
            assertThat(job.context(0).run(pattern, InProcessJob.deadline())).isEqualTo(3);
        }
    }

    @Test
    void shouldLeaveARoundBehindOtherDescriptorsToAPass() {
        try (InProcessJob job = join(Threading.INVOKER)) {
            final Pattern pattern = put(job);
            here().putLong(0, 42);
            word.putLong(0, 7);
            job.context(1).sendImmediate(0, ID, word, 0, 8);
            // Two of them, because a lone one would be carried out at once.
            final Target in = job.context(0).attach(1, "in", InProcessJob.deadline());
            here().putLong(8, 43);
            job.context(0).put(in, 8, here(), 8, 8);
            job.context(0).put(in, 16, here(), 8, 8);

            ContextAccess.begin(job.context(0), pattern);

            assertThat(there().getLong(0)).isZero();
            assertThat(ContextAccess.isOver(job.context(0), pattern)).isFalse();
            job.context(0).await(pattern, pattern.generation(), InProcessJob.deadline());
            assertThat(there().getLong(0)).isEqualTo(42);
            assertThat(there().getLong(16)).isEqualTo(43);
        }
    }

    @Test
    void shouldLeaveARoundToAPassAtRest() {
        try (InProcessJob job = join(Threading.INVOKER)) {
            final Pattern pattern = put(job);
            here().putLong(0, 42);
            ContextAccess.rest(job.context(0));

            ContextAccess.begin(job.context(0), pattern);

            assertThat(there().getLong(0)).isZero();
            job.context(0).advance();
            assertThat(there().getLong(0)).isEqualTo(42);
        }
    }

    @Test
    void shouldKeepARoundThatWaitsForAPeer() {
        try (InProcessJob job = join(Threading.INVOKER)) {
            final ReceptionCounter own = counter(job, 0, here());
            final Target in = job.context(1).attach(0, "in", InProcessJob.deadline());
            final Context context = job.context(0);
            final Pattern pattern = context.prepare(Rounds.ORDERED_BY_CALLER, () -> {
                context.expect(own, 8);
                context.waitUntil(own, 0);
            });

            assertThat(ContextAccess.begin(context, pattern)).isEqualTo(1);
            assertThat(ContextAccess.isOver(context, pattern)).isFalse();
            assertThat(context.isDrained()).isFalse();
            assertThatThrownBy(() -> context.await(pattern, 1, Deadline.in(1, TimeUnit.MILLISECONDS)))
                    .isInstanceOf(DeadlineException.class);
            there().putLong(0, 5);
            job.context(1).put(in, 0, there(), 0, 8);
            job.settle();

            context.await(pattern, 1, InProcessJob.deadline());
            assertThat(here().getLong(0)).isEqualTo(5);
            assertThat(context.isDrained()).isTrue();
        }
    }

    @Test
    void shouldContinueARoundOfMoreThanAQuantumInPasses() {
        try (InProcessJob job = join(Threading.INVOKER)) {
            final Context context = job.context(0);
            counter(job, 1, there());
            final Target in = context.attach(1, "in", InProcessJob.deadline());
            final Pattern pattern = context.prepare(Rounds.ORDERED_BY_CALLER, () -> {
                for (int i = 0; i < 8; i++) {
                    context.put(in, 8L * i, here(), 8L * i, 8);
                }
            });
            context.persistentFifo().quantum(1 << 20, 3);
            job.settle();
            here().putLong(16, 42);
            here().putLong(24, 43);

            for (long round = 1; round < 100; round++) {
                assertThat(ContextAccess.begin(context, pattern)).isEqualTo(round);
                assertThat(ContextAccess.isOver(context, pattern)).isFalse();
                assertThat(context.isDrained()).isFalse();
                assertThat(there().getLong(16)).isEqualTo(42);
                assertThat(there().getLong(24)).isEqualTo(round == 1 ? 0 : 43);
                context.await(pattern, round, InProcessJob.deadline());
                assertThat(there().getLong(24)).isEqualTo(43);
                assertThat(context.isDrained()).isTrue();
            }
            assertThat(job.node(0).metrics().descriptors()).isGreaterThanOrEqualTo(8 * 99);
        }
    }

    @Test
    void shouldDeliverMessagesBetweenRoundsThatNeedNoPass() {
        try (InProcessJob job = join(Threading.INVOKER)) {
            final Pattern pattern = put(job);
            word.putLong(0, 7);
            job.context(1).sendImmediate(0, ID, word, 0, 8);
            job.context(1).advance();

            int rounds = 0;
            while (received.isEmpty()) {
                job.context(0).run(pattern, InProcessJob.deadline());
                rounds++;
            }

            assertThat(rounds).isLessThanOrEqualTo(16);
        }
    }

    @Test
    void shouldServeANewFifoAtOnce() {
        try (InProcessJob job = join(Threading.INVOKER)) {
            final Pattern pattern = put(job);
            final Context context = job.context(0);
            final Target in = context.attach(1, "in", InProcessJob.deadline());
            context.run(pattern, InProcessJob.deadline());
            here().putLong(8, 43);

            context.injectionFifo().put(in, 8, here(), 8, 8);
            int rounds = 0;
            while (there().getLong(8) == 0) {
                context.run(pattern, InProcessJob.deadline());
                rounds++;
            }

            assertThat(rounds).isLessThanOrEqualTo(16);
        }
    }

    @Test
    void shouldSayWhyTheLastRoundCannotBecomeComplete() {
        try (InProcessJob job = join(Threading.INVOKER)) {
            final Context context = job.context(0);
            final ReceptionCounter own = job.node(0).client().receptionCounter(here(), 0, 64, 1, Right.PUT);
            final Pattern pattern = context.prepare(Rounds.ORDERED_BY_CALLER, () -> context.expect(own, 8));
            assertThatThrownBy(() -> context.run(pattern, Deadline.in(1, TimeUnit.MILLISECONDS)))
                    .isInstanceOf(DeadlineException.class);

            job.node(1).close();

            assertThatThrownBy(() -> context.run(pattern, InProcessJob.deadline()))
                    .isInstanceOf(ClosedException.class)
                    .hasMessageContaining("every possible sender has left");
        }
    }

    @Test
    void shouldReportARefusedRound() {
        try (InProcessJob job = join(Threading.INVOKER)) {
            final Pattern pattern = put(job);
            final Context context = job.context(0);
            final Closing closing = job.node(1).client().close(Objects.requireNonNull(landed));
            while (!closing.isDone()) {
                job.settle();
            }

            assertThatThrownBy(() -> context.run(pattern, InProcessJob.deadline()))
                    .isInstanceOf(RefusedException.class)
                    .hasMessageContaining("rank 1 refused");
        }
    }

    @ParameterizedTest
    @EnumSource(names = {"DEDICATED", "SHARED", "INVOKER"})
    void shouldRunEveryRoundOnceInEachMode(Threading threading) {
        try (InProcessJob job = join(threading)) {
            final Pattern pattern = put(job);
            job.context(0).await(pattern, 1, InProcessJob.deadline());

            for (long round = 2; round < 1000; round++) {
                here().putLong(0, round);
                assertThat(job.context(0).run(pattern, InProcessJob.deadline())).isEqualTo(round);
                assertThat(there().getLong(0)).isEqualTo(round);
            }
            assertThat(job.node(0).metrics().replays()).isEqualTo(998);
        }
    }
}
