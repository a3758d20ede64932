package org.segno.transport.shm;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.agrona.concurrent.AtomicBuffer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import org.segno.context.Client;
import org.segno.context.Context;
import org.segno.geometry.Endpoint;
import org.segno.memory.CounterPair;
import org.segno.memory.InjectionCounter;
import org.segno.memory.ReceptionCounter;
import org.segno.memory.Right;
import org.segno.memory.Target;
import org.segno.memory.Window;
import org.segno.multisend.JointPattern;
import org.segno.multisend.ManyToMany;
import org.segno.multisend.Multicast;
import org.segno.multisend.Pieces;
import org.segno.node.Node;
import org.segno.node.NodeConfig.Threading;
import org.segno.pattern.Pattern;
import org.segno.pattern.Rounds;
import org.segno.saved.SavedPatterns;

/** Warm start: a job ends, its processes too, and the next job replays its saved patterns. */
@Tag("long")
class WarmStartTest {
    private static final int RANKS = 2;

    /**
     * Sections of a many-to-many, a multicast, two prepared operations, and a joint pattern in each of two contexts.
     */
    private static final int PATTERNS = 6;

    @RegisterExtension
    final ProcessPool pool = new ProcessPool();

    @TempDir
    Path files;

    @Test
    void shouldReplayThePatternsOfThePreviousJobFromTheFirstRound() {
        final long recorded = 2;
        assertThat(run("cold")).containsOnly(WarmStartScenario.ROUNDS * PATTERNS - recorded);
        assertThat(run("warm")).containsOnly((long) WarmStartScenario.ROUNDS * PATTERNS);
        assertThat(run("warm again")).containsOnly((long) WarmStartScenario.ROUNDS * PATTERNS);
    }

    /** Runs a job to the end of its processes, and returns the number of rounds that each rank has replayed. */
    private List<Long> run(String name) {
        final List<TestProcess> processes = new ArrayList<>();
        for (int rank = 0; rank < RANKS; rank++) {
            processes.add(pool.start(
                    WarmStartScenario.class,
                    pool.job(name.replace(' ', '-'), RANKS),
                    Threading.INVOKER,
                    rank,
                    files,
                    name));
        }
        final List<Long> replays = new ArrayList<>();
        for (final TestProcess process : processes) {
            replays.add(Long.valueOf(process.expect("replays ")));
            process.awaitEnd();
        }
        processes.forEach(TestProcess::kill);
        return replays;
    }

    /** Rank that saves its patterns and, unless it is cold, begins with the saved ones. */
    static final class WarmStartScenario implements Scenario {
        static final int ROUNDS = 20;

        private static final int JOINT = 7;
        private static final int DISPATCH = 9;
        private static final int PIECE = 64;
        private static final int PRINTED = 512;
        private static final int PUT = 1024;
        private static final int JOINED = 1536;
        private static final int READ = 2048;
        private static final int GOT = 2560;

        @Override
        public void run(ScenarioRun run) throws Exception {
            run.onEachNode(run.config().withContexts(2), node -> {
                final Path file = Path.of(run.argument(0)).resolve("rank-" + node.rank());
                final Rank rank = new Rank(node);
                final List<Pattern> loaded = run.argument(1).equals("cold")
                        ? List.of()
                        : SavedPatterns.load(node.client(), file, ScenarioRun.deadline());
                assertThat(loaded).hasSize(run.argument(1).equals("cold") ? 0 : PATTERNS);
                rank.prepare();
                for (int round = 1; round <= ROUNDS; round++) {
                    rank.exchange(round);
                }
                assertThat(loaded).allMatch(pattern -> pattern.generation() == ROUNDS);
                assertThat(SavedPatterns.save(node.client(), file)).isEqualTo(PATTERNS);
                run.print("replays " + node.metrics().replays());
                rank.first.barrier(ScenarioRun.deadline());
            });
        }

        /** State that a program opens at its start, in a cold as in a warm run. */
        private static final class Rank {
            private final Context first;
            private final Context second;
            private final int self;
            private final int other;
            private final Window source;
            private final Window inbox;
            private final CounterPair puts;
            private final CounterPair joined;
            private final InjectionCounter got;
            private final Target putThere;
            private final Target joinThere;
            private final Target readThere;
            private final ManyToMany pieces;
            private final Multicast multicast;
            private final List<Long> received = new ArrayList<>();
            private final List<Pattern> prepared = new ArrayList<>();
            private @Nullable JointPattern joint;

            Rank(Node node) {
                final Client client = node.client();
                first = client.context(0);
                second = client.context(1);
                self = node.rank();
                other = 1 - self;
                source = client.window(1024);
                inbox = client.window(4096);
                puts = client.counterPair(inbox, PUT, PUT + 128, 64, other);
                joined = client.counterPair(inbox, JOINED, JOINED + 128, 64, other);
                got = client.injectionCounter();
                client.publish("puts", puts);
                client.publish("joined", joined);
                client.publish("read", client.receptionCounter(inbox, READ, 64, ReceptionCounter.ANYBODY, Right.GET));
                putThere = first.attach(other, "puts", ScenarioRun.deadline());
                joinThere = first.attach(other, "joined", ScenarioRun.deadline());
                readThere = first.attach(other, "read", ScenarioRun.deadline());
                first.handler(DISPATCH, (from, buffer, m, ml, p, pl) -> received.add(buffer.getLong(p) * RANKS + from));
                final Pieces both = new Pieces().add(0, 0, PIECE).add(1, PIECE, PIECE);
                pieces = ManyToMany.open(
                        client,
                        first,
                        3,
                        new ManyToMany.Sides(source, both, new ManyToMany.Places(inbox, 0, 256, 128), both),
                        ScenarioRun.deadline());
                multicast = new Multicast(first, DISPATCH, source, Endpoint.of(0, 0, 0, 0), Endpoint.of(1, 0, 0, 0))
                        .payload(source, PRINTED, 8);
            }

            void prepare() {
                prepared.add(first.prepare(Rounds.ALTERNATE, () -> {
                    first.expect(puts, 8);
                    first.put(putThere, 0, source, 520, 8);
                }));
                prepared.add(first.prepare(Rounds.ORDERED_BY_CALLER, () -> {
                    first.expect(got, 8);
                    first.get(readThere, 0, inbox, GOT, 8, got);
                }));
                joint = JointPattern.find(JOINT, first, second);
            }

            private static long value(int rank, int round, int number) {
                return rank * 1_000_003L + round * 101L + number;
            }

            void exchange(int round) {
                fill(round);
                first.barrier(ScenarioRun.deadline());
                assertThat(pieces.start()).isEqualTo(round);
                assertThat(multicast.start()).isEqualTo(round);
                prepared.forEach(pattern -> assertThat(first.replay(pattern)).isEqualTo(round));
                final JointPattern both = startJoint(round);
                pieces.await(ScenarioRun.deadline());
                multicast.await(ScenarioRun.deadline());
                prepared.forEach(pattern -> first.await(pattern, round, ScenarioRun.deadline()));
                first.await(got, ScenarioRun.deadline());
                both.await(round, ScenarioRun.deadline());
                first.await(() -> received.size() == RANKS, ScenarioRun.deadline());
                check(round);
                first.barrier(ScenarioRun.deadline());
            }

            private JointPattern startJoint(int round) {
                JointPattern both = joint;
                if (both == null) {
                    both = JointPattern.record(JOINT, Rounds.ALTERNATE, this::injectJoint, first, second);
                    joint = both;
                } else {
                    assertThat(both.replay()).isEqualTo(round);
                }
                return both;
            }

            private void injectJoint() {
                first.expect(joined, 16);
                first.put(joinThere, 0, source, 528, 8);
                second.put(joinThere, 8, source, 536, 8);
            }

            private void fill(int round) {
                final AtomicBuffer from = source.buffer();
                for (int to = 0; to < RANKS; to++) {
                    from.putLong(to * PIECE, value(self, round, to));
                    from.putLong(to * PIECE + PIECE - 8, -value(self, round, to));
                }
                from.putLong(PRINTED, value(0, round, 10));
                from.putLong(520, value(self, round, 11));
                from.putLong(528, value(self, round, 12));
                from.putLong(536, value(self, round, 13));
                inbox.buffer().putLong(READ, value(self, round, 14));
            }

            private void check(int round) {
                final AtomicBuffer here = inbox.buffer();
                for (int from = 0; from < RANKS; from++) {
                    final int place = (int) pieces.landingOffset(round) + from * PIECE;
                    assertThat(here.getLong(place)).isEqualTo(value(from, round, self));
                    assertThat(here.getLong(place + PIECE - 8)).isEqualTo(-value(from, round, self));
                    assertThat(received).contains(value(0, round, 10) * RANKS + from);
                }
                received.clear();
                assertThat(here.getLong((int) puts.offset(round))).isEqualTo(value(other, round, 11));
                assertThat(here.getLong((int) joined.offset(round))).isEqualTo(value(other, round, 12));
                assertThat(here.getLong((int) joined.offset(round) + 8)).isEqualTo(value(other, round, 13));
                assertThat(here.getLong(GOT)).isEqualTo(value(other, round, 14));
            }
        }
    }
}
