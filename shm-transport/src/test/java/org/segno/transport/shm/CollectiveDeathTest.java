package org.segno.transport.shm;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.segno.collective.Call;
import org.segno.collective.Collective;
import org.segno.collective.Geometry;
import org.segno.collective.Lengths;
import org.segno.collective.Reduction;
import org.segno.combine.ElementType;
import org.segno.combine.Operator;
import org.segno.context.Client;
import org.segno.node.JobConfig;
import org.segno.node.Node;
import org.segno.node.NodeConfig.Threading;
import org.segno.status.Deadline;
import org.segno.status.PeerFailedException;
import org.segno.status.SegnoException;

/** Effects of a killed member on the collectives of the geometries with and without it. */
class CollectiveDeathTest {
    private static final int MEMBERS = 4;
    private static final int VICTIM = 3;
    private static final int HALF = 2;
    private static final int FIRST_ROUNDS = 100;
    private static final int ROUNDS = 2_000;

    @RegisterExtension
    final ProcessPool pool = new ProcessPool();

    @Test
    void shouldFailTheCollectivesOfTheDeadMemberAndNoOthers() {
        killOneOf(Summing.class, Threading.INVOKER);
    }

    @ParameterizedTest
    @Tag("long")
    @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "INVOKER")
    void shouldFailTheCollectivesOfTheDeadMemberWithThreadsOfEngines(Threading threading) {
        killOneOf(Summing.class, threading);
    }

    @ParameterizedTest
    @Tag("long")
    @EnumSource(names = {"INVOKER", "DEDICATED"})
    void shouldCallTheHandlerWithTheDeath(Threading threading) {
        killOneOf(Calling.class, threading);
    }

    @ParameterizedTest
    @Tag("long")
    @ValueSource(booleans = {true, false})
    void shouldLeaveTheSameGeometryToAllSurvivorsOfTwoDeaths(boolean atOnce) {
        final JobConfig job = pool.job("survivors", MEMBERS);
        final List<TestProcess> processes = new ArrayList<>();
        for (int rank = 0; rank < MEMBERS; rank++) {
            processes.add(pool.start(Surviving.class, job, Threading.INVOKER, rank));
        }
        processes.forEach(process -> process.expect("going"));

        processes.get(VICTIM).kill();
        if (!atOnce) {
            assertThat(processes.get(0).expect("created")).contains("of 3 members");
        }
        processes.get(1).kill();

        final String left = processes.get(0).expect("left");
        assertThat(left).contains("of 2 members");
        assertThat(processes.get(2).expect("left")).isEqualTo(left);
        processes.get(0).awaitEnd();
        processes.get(2).awaitEnd();
    }

    private void killOneOf(Class<? extends Scenario> scenario, Threading threading) {
        final JobConfig job = pool.job("collectives", MEMBERS);
        final List<TestProcess> processes = new ArrayList<>();
        for (int rank = 0; rank < MEMBERS; rank++) {
            processes.add(pool.start(scenario, job, threading, rank));
        }
        processes.forEach(process -> process.expect("going"));

        processes.get(VICTIM).kill();

        processes.subList(0, VICTIM).forEach(TestProcess::awaitEnd);
    }

    /** Runs in what is left of the world after each of two deaths. */
    static final class Surviving implements Scenario {
        @Override
        public void run(ScenarioRun run) {
            try (Node node = run.join()) {
                final Client client = node.client();
                Geometry left = Geometry.world(client, client.context(), "all", ScenarioRun.deadline());
                run.print("going");
                while (left.size() != HALF) {
                    left = next(left);
                    run.print("created " + left);
                }
                for (int round = 0; round < ROUNDS; round++) {
                    left.barrier(ScenarioRun.deadline());
                }
                assertThat(left.rank(left.self())).isEqualTo(node.rank());
                run.print("left " + left);
                left.close();
            }
        }

        private static Geometry next(Geometry current) {
            try {
                while (true) {
                    current.barrier(ScenarioRun.deadline());
                }
            } catch (final PeerFailedException e) {
                final Geometry left = current.survivors(ScenarioRun.deadline());
                current.close();
                return left;
            }
        }
    }

    /** Starts each barrier in the handler of the one before, until the handler is called with a failure. */
    static final class Calling implements Scenario {
        private @Nullable SegnoException failed;

        @Override
        public void run(ScenarioRun run) {
            try (Node node = run.join()) {
                final Client client = node.client();
                final Geometry world = Geometry.world(client, client.context(), "all", ScenarioRun.deadline());
                final Collective barrier = world.prepare(Call.barrier(), ScenarioRun.deadline());
                barrier.onRound((round, failure) -> {
                    failed = failure;
                    if (failure == null && startsNext(barrier) && round == FIRST_ROUNDS) {
                        run.print("going");
                    }
                });
                assertThat(barrier.start()).isEqualTo(1);
                final long deadlineNs = ScenarioRun.deadline();
                while (failed == null) {
                    client.context().advance();
                    assertThat(Deadline.reached(deadlineNs)).isFalse();
                }
                assertThat(failed)
                        .isInstanceOf(PeerFailedException.class)
                        .hasMessageContaining("rank " + VICTIM + " has died");
                barrier.close();
                world.close();
            }
        }

        /** Returns false if the death is known already. */
        private boolean startsNext(Collective barrier) {
            try {
                return barrier.start() > 0;
            } catch (final PeerFailedException e) {
                failed = e;
                return false;
            }
        }
    }

    /** Sums in the world and in one of its halves, until the world fails; then in the half alone. */
    static final class Summing implements Scenario {
        private static final Call SUM = Call.allreduce(2 * Long.BYTES, Reduction.of(ElementType.LONG, Operator.SUM));

        @Override
        public void run(ScenarioRun run) {
            try (Node node = run.join()) {
                final Client client = node.client();
                final Geometry world = Geometry.world(client, client.context(), "all", ScenarioRun.deadline());
                final Geometry half =
                        Objects.requireNonNull(world.split(node.rank() / HALF, 0, ScenarioRun.deadline()));
                final Collective ofAll = world.prepare(SUM, ScenarioRun.deadline());
                final Collective ofHalf = half.prepare(SUM, ScenarioRun.deadline());
                requireFailed(() -> sumInBoth(run, ofAll, ofHalf));
                assertThatThrownBy(ofAll::start)
                        .hasMessageContaining(
                                "needs this rank: close it, and prepare it in a geometry of" + " Geometry.survivors");
                if (node.rank() < HALF) {
                    requireContinued(half, ofHalf);
                } else {
                    requireFailed(() -> sum(ofHalf, HALF, 1));
                    requireFailed(() -> half.barrier(ScenarioRun.deadline()));
                }
                requireFailed(() -> world.barrier(ScenarioRun.deadline()));
                requireWorldOfSurvivors(world.survivors(ScenarioRun.deadline()), ofAll);
                ofHalf.close();
                ofAll.close();
                half.close();
                world.close();
            }
        }

        private static void sumInBoth(ScenarioRun run, Collective ofAll, Collective ofHalf) {
            while (true) {
                sum(ofAll, MEMBERS, 0);
                sum(ofHalf, HALF, 0);
                if (ofHalf.round() == FIRST_ROUNDS) {
                    run.print("going");
                }
            }
        }

        /**
         * Sums the number of the round, and how many of the members have had a failure.
         *
         * @return the latter
         */
        private static long sum(Collective collective, int members, long failures) {
            final long round = collective.round() + 1;
            collective.input().putLong(0, round);
            collective.input().putLong(Long.BYTES, failures);
            collective.run(ScenarioRun.deadline());
            assertThat(collective.output().getLong(0)).isEqualTo(members * round);
            return collective.output().getLong(Long.BYTES);
        }

        /** Requires that the living half continues, with what it has recorded and with what it records now. */
        private static void requireContinued(Geometry half, Collective ofHalf) {
            // One member may notice the death a round later than the other.
            long failures = 0;
            while (failures < HALF) {
                failures = sum(ofHalf, HALF, 1);
            }
            for (int round = 0; round < ROUNDS; round++) {
                sum(ofHalf, HALF, 1);
            }
            half.barrier(ScenarioRun.deadline());
            half.run(Call.allgather(Lengths.equal(Long.BYTES)), ScenarioRun.deadline());
            final Geometry again = Objects.requireNonNull(half.split(0, 0, ScenarioRun.deadline()));
            again.barrier(ScenarioRun.deadline());
            again.close();
        }

        private static void requireWorldOfSurvivors(Geometry left, Collective failed) {
            assertThat(left.size()).isEqualTo(VICTIM);
            final long complete = failed.completeAtAll(left, ScenarioRun.deadline());
            assertThat(complete).isBetween(failed.round() - 2, failed.round());
            final Collective ofSurvivors = left.prepare(SUM, ScenarioRun.deadline());
            for (int round = 0; round < ROUNDS; round++) {
                sum(ofSurvivors, VICTIM, 0);
            }
            left.barrier(ScenarioRun.deadline());
            ofSurvivors.close();
            left.close();
        }

        private static void requireFailed(ThrowingCallable use) {
            assertThatThrownBy(use)
                    .isInstanceOfSatisfying(
                            PeerFailedException.class,
                            failed -> assertThat(failed.rank()).isEqualTo(VICTIM))
                    .hasMessageContaining("rank " + VICTIM + " has died");
        }
    }
}
