package org.segno.saved;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.segno.context.Client;
import org.segno.context.Context;
import org.segno.memory.CounterPair;
import org.segno.memory.ReceptionCounter;
import org.segno.memory.Target;
import org.segno.memory.Window;
import org.segno.multisend.JointPattern;
import org.segno.multisend.ManyToMany;
import org.segno.multisend.Multicast;
import org.segno.multisend.Pieces;
import org.segno.node.InProcessJob;
import org.segno.node.NodeConfig;
import org.segno.node.NodeConfig.Threading;
import org.segno.node.OverMemoryAndLinks;
import org.segno.pattern.Pattern;
import org.segno.pattern.Rounds;

/** Patterns of ranks without neighbours: nothing is injected, and every call works as for other patterns. */
@Timeout(120)
@OverMemoryAndLinks
class EmptyPatternTest {
    private static final int ROUNDS = 20;

    @TempDir
    Path directory;

    private static NodeConfig config(Threading threading) {
        return NodeConfig.defaults().withThreading(threading).withContexts(2).withWindowBytes(1 << 14);
    }

    /** One dimension of a grid without periodic edges: of two ranks each has one neighbour, a single one has none. */
    @ParameterizedTest
    @EnumSource(Threading.class)
    void shouldRunTheSameProgramOnAnyNumberOfRanks(Threading threading) throws Exception {
        for (int size = 1; size <= 2; size++) {
            final int ranks = size;
            try (InProcessJob job = InProcessJob.join(directory, ranks, config(threading))) {
                job.onThreads(rank -> exchange(job.node(rank).client(), rank, ranks));
            }
        }
    }

    private static void exchange(Client client, int rank, int ranks) {
        final Context context = client.context();
        final Window window = client.window(256);
        final CounterPair fromLeft = client.counterPair(window, 0, 8, 8);
        final CounterPair fromRight = client.counterPair(window, 16, 24, 8);
        client.publish("from left", fromLeft);
        client.publish("from right", fromRight);
        final Target left =
                rank == 0 ? Target.nowhere() : context.attach(rank - 1, "from right", InProcessJob.deadline());
        final Target right =
                rank == ranks - 1 ? Target.nowhere() : context.attach(rank + 1, "from left", InProcessJob.deadline());
        final Pattern pattern = context.prepare(Rounds.ALTERNATE, () -> {
            context.expect(fromLeft, left.isNowhere() ? 0 : 8);
            context.expect(fromRight, right.isNowhere() ? 0 : 8);
            context.put(left, 0, window, 64, 8);
            context.put(right, 0, window, 64, 8);
        });
        for (long round = 1; round <= ROUNDS; round++) {
            window.buffer().putLong(64, 100 * round + rank);
            assertThat(context.replay(pattern)).isEqualTo(round);
            context.await(pattern, round, InProcessJob.deadline());
            assertThat(window.buffer().getLong((int) fromLeft.offset(round)))
                    .isEqualTo(left.isNowhere() ? 0 : 100 * round + rank - 1);
            assertThat(window.buffer().getLong((int) fromRight.offset(round)))
                    .isEqualTo(right.isNowhere() ? 0 : 100 * round + rank + 1);
        }
        context.barrier(InProcessJob.deadline());
    }

    @ParameterizedTest
    @EnumSource(Threading.class)
    void shouldRecordPrepareReplayAndAwait(Threading threading) {
        try (InProcessJob job = InProcessJob.join(directory, 1, config(threading))) {
            final Context context = job.context(0);
            final Pattern recorded = context.record(1, Rounds.ALTERNATE, () -> {});
            final Pattern prepared = context.prepare(Rounds.ORDERED_BY_CALLER, () -> {});
            context.await(recorded, 1, InProcessJob.deadline());
            for (long round = 1; round <= ROUNDS; round++) {
                assertThat(context.replay(prepared)).isEqualTo(round);
                assertThat(context.queue(recorded)).isEqualTo(round + 1);
                context.await(prepared, round, InProcessJob.deadline());
                context.await(recorded, round + 1, InProcessJob.deadline());
            }
            context.fence(InProcessJob.deadline());
            prepared.close();
            recorded.close();
            assertThat(context.pattern(1)).isNull();
        }
    }

    @ParameterizedTest
    @EnumSource(Threading.class)
    void shouldExchangeNothingWithoutPeers(Threading threading) {
        try (InProcessJob job = InProcessJob.join(directory, 1, config(threading))) {
            final Client client = job.node(0).client();
            final Window window = client.window(256);
            final ManyToMany.Places places = new ManyToMany.Places(window, 0, 64, 64);
            final ManyToMany.Sides sides = new ManyToMany.Sides(window, new Pieces(), places, new Pieces());
            try (ManyToMany exchange = ManyToMany.open(client, client.context(), 1, sides, InProcessJob.deadline());
                    Multicast multicast = new Multicast(client.context(), 3, window);
                    JointPattern joint =
                            JointPattern.record(2, Rounds.ALTERNATE, () -> {}, client.context(0), client.context(1))) {
                for (long round = 1; round <= ROUNDS; round++) {
                    assertThat(exchange.start()).isEqualTo(round);
                    assertThat(multicast.start()).isEqualTo(round);
                    exchange.await(InProcessJob.deadline());
                    multicast.await(InProcessJob.deadline());
                    joint.await(round, InProcessJob.deadline());
                    assertThat(joint.replay()).isEqualTo(round + 1);
                }
                joint.await(ROUNDS + 1, InProcessJob.deadline());
            }
        }
    }

    @Test
    void shouldBeSavedAndLoaded() {
        final Path file = directory.resolve("saved");
        try (InProcessJob job = InProcessJob.join(directory, 1, config(Threading.INVOKER))) {
            final Client client = job.node(0).client();
            final Context context = client.context();
            final Window window = client.window(256);
            final CounterPair pair = client.counterPair(window, 0, 64, 64);
            context.await(context.record(1, Rounds.ALTERNATE, () -> {}), 1, InProcessJob.deadline());
            assertThat(SavedPatterns.save(client, file)).isEqualTo(1);
            assertThat(SavedFile.read(file).patterns())
                    .singleElement()
                    .satisfies(pattern -> assertThat(pattern.descriptors()).isZero());
            final ReceptionCounter single = client.receptionCounter(window, 128, 8);
            context.prepare(Rounds.ALTERNATE, () -> skipped(context, pair, single));
            assertThat(SavedPatterns.save(client, file)).isEqualTo(2);
        }
        try (InProcessJob job = InProcessJob.join(directory, 1, config(Threading.INVOKER))) {
            final Client client = job.node(0).client();
            final Context context = client.context();
            final Window window = client.window(256);
            final CounterPair pair = client.counterPair(window, 0, 64, 64);
            final ReceptionCounter single = client.receptionCounter(window, 128, 8);
            final List<Pattern> loaded = SavedPatterns.load(client, file, InProcessJob.deadline());
            assertThat(loaded).extracting(Pattern::descriptors).containsExactly(3, 0);
            final Pattern found = Objects.requireNonNull(context.pattern(1));
            assertThat(context.replay(found)).isEqualTo(1);
            context.await(found, 1, InProcessJob.deadline());
            final Pattern prepared = context.prepare(Rounds.ALTERNATE, () -> skipped(context, pair, single));
            assertThat(prepared).isSameAs(loaded.get(0));
            assertThat(context.replay(prepared)).isEqualTo(1);
            context.await(prepared, 1, InProcessJob.deadline());
            assertThat(single.valueAcquire())
                    .as("counted down, but not expected")
                    .isEqualTo(-8);
        }
    }

    private static void skipped(Context context, CounterPair pair, ReceptionCounter single) {
        context.expect(pair, 8);
        context.get(Target.nowhere(), 0, pair, 0, 8, null);
        context.get(Target.nowhere(), 0, single, 0, 8, null);
    }
}
