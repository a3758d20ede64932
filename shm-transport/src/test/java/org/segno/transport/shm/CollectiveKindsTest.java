package org.segno.transport.shm;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.segno.collective.Call;
import org.segno.collective.Collective;
import org.segno.collective.CollectiveKind;
import org.segno.collective.Geometry;
import org.segno.collective.Lengths;
import org.segno.collective.Reduction;
import org.segno.combine.ElementType;
import org.segno.combine.Operator;
import org.segno.context.Client;
import org.segno.node.JobConfig;
import org.segno.node.Node;
import org.segno.node.NodeConfig.Threading;

/** Collectives of all kinds, by all algorithms, among three processes. */
@Tag("long")
class CollectiveKindsTest {
    private static final int MEMBERS = 3;
    private static final int ROOT = 1;
    private static final int ROUNDS = 50;

    @RegisterExtension
    final ProcessPool pool = new ProcessPool();

    @ParameterizedTest
    @EnumSource(names = {"INVOKER", "DEDICATED"})
    void shouldGiveTheResultsOfAllKinds(Threading threading) {
        final JobConfig job = pool.job("kinds", MEMBERS);
        final List<TestProcess> processes = new ArrayList<>();
        for (int rank = 0; rank < MEMBERS; rank++) {
            processes.add(pool.start(AllKinds.class, job, threading, rank));
        }
        for (final TestProcess process : processes) {
            assertThat(process.expect("kinds")).isEqualTo(String.valueOf(CollectiveKind.values().length));
            process.awaitEnd();
        }
    }

    /** One member. Its contributions are of {@code value(member, index, round)}. */
    static final class AllKinds implements Scenario {
        @Override
        public void run(ScenarioRun run) {
            try (Node node = run.join(run.config().withWindowBytes(1 << 20))) {
                final Client client = node.client();
                final Geometry world = Geometry.world(client, client.context(), "all", ScenarioRun.deadline());
                final Set<CollectiveKind> kinds = EnumSet.noneOf(CollectiveKind.class);
                // One length for slots, and one beyond them.
                for (final int words : new int[] {3, 900}) {
                    for (final CollectiveKind kind : CollectiveKind.values()) {
                        final Call call = call(kind, (long) words * Long.BYTES);
                        for (final String algorithm : world.algorithms(call)) {
                            rounds(world, call.by(algorithm), words);
                            kinds.add(kind);
                        }
                    }
                }
                run.print("kinds " + kinds.size());
                world.barrier(ScenarioRun.deadline());
                world.close();
            }
        }

        private static Call call(CollectiveKind kind, long bytes) {
            final Reduction sum = Reduction.of(ElementType.LONG, Operator.SUM);
            return switch (kind) {
                case BARRIER -> Call.barrier();
                case BROADCAST -> Call.broadcast(ROOT, bytes);
                case REDUCE -> Call.reduce(ROOT, bytes, sum);
                case ALLREDUCE -> Call.allreduce(bytes, sum);
                case REDUCE_SCATTER -> Call.reduceScatter(Lengths.equal(bytes), sum);
                case SCAN -> Call.scan(bytes, sum);
                case EXCLUSIVE_SCAN -> Call.exclusiveScan(bytes, sum);
                case GATHER -> Call.gather(ROOT, Lengths.equal(bytes));
                case SCATTER -> Call.scatter(ROOT, Lengths.equal(bytes));
                case ALLGATHER -> Call.allgather(Lengths.equal(bytes));
                case ALL_TO_ALL -> Call.allToAll(bytes);
            };
        }

        private static void rounds(Geometry world, Call call, int words) {
            try (Collective collective = world.prepare(call, ScenarioRun.deadline())) {
                final int sent = call.kind() == CollectiveKind.BARRIER
                        ? 0
                        : collective.input().capacity() / Long.BYTES;
                final int received = received(call.kind(), world.self(), words);
                for (int round = 1; round <= ROUNDS; round++) {
                    for (int i = 0; i < sent; i++) {
                        collective.input().putLong(i * Long.BYTES, value(world.self(), i, round));
                    }
                    collective.run(ScenarioRun.deadline());
                    for (int i = 0; i < received; i++) {
                        final long expected = expected(call.kind(), world.self(), words, i, round);
                        if (collective.output().getLong(i * Long.BYTES) != expected) {
                            throw new AssertionError("word " + i + " of " + collective + " is "
                                    + collective.output().getLong(i * Long.BYTES) + ", not " + expected);
                        }
                    }
                }
            }
        }

        private static long value(int member, int index, int round) {
            return member * 1_000_003L + index * 10_007L + round * 101L + 3;
        }

        /** Returns the number of words that a member receives. */
        private static int received(CollectiveKind kind, int self, int words) {
            return switch (kind) {
                case BARRIER -> 0;
                case BROADCAST -> self == ROOT ? 0 : words;
                case REDUCE -> self == ROOT ? words : 0;
                case ALLREDUCE, SCAN, REDUCE_SCATTER, SCATTER -> words;
                case EXCLUSIVE_SCAN -> self == 0 ? 0 : words;
                case GATHER -> self == ROOT ? MEMBERS * words : 0;
                case ALLGATHER, ALL_TO_ALL -> MEMBERS * words;
            };
        }

        private static long expected(CollectiveKind kind, int self, int words, int index, int round) {
            return switch (kind) {
                case BARRIER -> 0;
                case BROADCAST -> value(ROOT, index, round);
                case REDUCE, ALLREDUCE -> sum(MEMBERS, index, round);
                case SCAN -> sum(self + 1, index, round);
                case EXCLUSIVE_SCAN -> sum(self, index, round);
                case REDUCE_SCATTER -> sum(MEMBERS, self * words + index, round);
                case SCATTER -> value(ROOT, self * words + index, round);
                case GATHER, ALLGATHER -> value(index / words, index % words, round);
                case ALL_TO_ALL -> value(index / words, self * words + index % words, round);
            };
        }

        private static long sum(int members, int index, int round) {
            long sum = 0;
            for (int member = 0; member < members; member++) {
                sum += value(member, index, round);
            }
            return sum;
        }
    }
}
