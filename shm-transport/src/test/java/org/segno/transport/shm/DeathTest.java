package org.segno.transport.shm;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.segno.context.Client;
import org.segno.context.Context;
import org.segno.engine.job.Membership;
import org.segno.memory.CounterPair;
import org.segno.memory.InjectionCounter;
import org.segno.memory.ReceptionCounter;
import org.segno.memory.Target;
import org.segno.memory.Window;
import org.segno.node.JobConfig;
import org.segno.node.Node;
import org.segno.node.NodeAccess;
import org.segno.node.NodeConfig.Threading;
import org.segno.pattern.Pattern;
import org.segno.pattern.Rounds;
import org.segno.status.Refusal;
import org.segno.status.SegnoException;
import org.segno.transport.shm.EndlessWaits.Wait;

/** Effects of a killed process on the other processes of its job. */
class DeathTest {
    private static final List<Wait> WAITS = List.of(Wait.values());

    @RegisterExtension
    final ProcessPool pool = new ProcessPool();

    @ParameterizedTest
    @EnumSource
    void shouldEndEveryWaitForADeadRankAndNameIt(Threading threading) {
        // One rank for each wait, one that floods the victim, one that waits for a survivor.
        final int victimRank = WAITS.size() + 2;
        final JobConfig job = pool.job("death", victimRank + 1);
        final TestProcess even = pool.start(Survivor.class, job, threading, List.of(0, 2, 4, 6, 8), victimRank);
        final TestProcess odd = pool.start(Survivor.class, job, threading, List.of(1, 3, 5, 7), victimRank);
        final TestProcess victim = pool.start(Victim.class, job, threading, victimRank);
        List.of(even, even, even, even, even, odd, odd, odd, odd).forEach(process -> process.expect("waiting"));

        victim.kill();

        even.awaitEnd();
        odd.awaitEnd();
    }

    @ParameterizedTest
    @Tag("long")
    @EnumSource
    void shouldFailAPatternThatMissesTheDeadRankAfterItHasReceivedFromTheLiving(Threading threading) {
        final JobConfig job = pool.job("pattern", 3);
        final TestProcess waiting = pool.start(PatternOfTwo.class, job, threading, 0);
        final TestProcess late = pool.start(LateSender.class, job, threading, 1);
        final TestProcess victim = pool.start(Victim.class, job, threading, 2);
        waiting.expect("waiting");
        late.expect("waiting");

        victim.kill();

        late.awaitEnd();
        assertThat(waiting.expect("outcome")).startsWith("PeerFailedException 2: ");
        waiting.awaitEnd();
    }

    @ParameterizedTest
    @EnumSource
    void shouldEndEveryWaitWhenTheHubIsKilledButNoProcess(Threading threading) {
        final JobConfig job = pool.job("hub", 4);
        final TestProcess hub = pool.start(Victim.class, job, threading, 0);
        final TestProcess first = pool.start(HubWaiter.class, job, threading, List.of(1, 2));
        final TestProcess second = pool.start(HubWaiter.class, job, threading, List.of(3));
        List.of(first, first, second).forEach(process -> process.expect("waiting"));

        hub.kill();

        first.awaitEnd();
        second.awaitEnd();
        assertThat(first.isIdle() && second.isIdle()).isTrue();
    }

    @ParameterizedTest
    @EnumSource(HalfJoined.Step.class)
    void shouldFailTheJoinOfTheOthersWhenARankIsKilledInIt(HalfJoined.Step step) {
        final JobConfig job = pool.job("join", 4);
        final TestProcess victim = pool.start(HalfJoined.class, job, Threading.INVOKER, 2, step);
        final TestProcess host = pool.start(Joiner.class, job, Threading.INVOKER, 0);
        final TestProcess other = pool.start(Joiner.class, job, Threading.DEDICATED, 1);
        victim.expect("half joined");

        victim.kill();

        assertThat(host.expect("outcome")).startsWith("PeerFailedException 2: ").contains("before all had joined");
        assertThat(other.expect("outcome"))
                .startsWith("PeerFailedException 2: ")
                .contains("before all had joined");
        host.awaitEnd();
        other.awaitEnd();
    }

    @Test
    void shouldFailTheJoinOfTheOthersWhenTheHubIsKilledInIt() {
        final JobConfig job = pool.job("join", 3);
        final TestProcess host = pool.start(HalfJoined.class, job, Threading.INVOKER, 0, HalfJoined.Step.WELCOME);
        final TestProcess other = pool.start(Joiner.class, job, Threading.INVOKER, 1);
        host.expect("half joined");

        host.kill();

        assertThat(other.expect("outcome")).startsWith("PeerFailedException 0: ");
        other.awaitEnd();
        // The next job removes the directory that the hub has left.
        pool.start(Joiner.class, pool.job("next", 1), Threading.INVOKER, 0).awaitEnd();
    }

    @ParameterizedTest
    @EnumSource
    void shouldNotBlockASenderAfterItsTargetHasLeft(Threading threading) {
        final JobConfig job = pool.job("left", 2);
        final TestProcess leaver = pool.start(EarlyLeaver.class, job, threading, 1);
        final TestProcess sender = pool.start(LateFlood.class, job, threading, 0);

        leaver.awaitEnd();
        sender.awaitEnd();
    }

    /** Joins, and leaves without reading any message. */
    static final class EarlyLeaver implements Scenario {
        @Override
        public void run(ScenarioRun run) {
            run.join().close();
        }
    }

    static final class LateFlood implements Scenario {
        @Override
        public void run(ScenarioRun run) {
            try (Node node = run.join()) {
                final EndlessWaits waits = new EndlessWaits(node, 1);
                assertThat(waits.flood(5_000)).isEqualTo(5_000);
                // What is sent to a rank that has left completes without an effect.
                assertThat(waits.await(Wait.INJECTION, ScenarioRun.deadline())).isEqualTo("nothing");
                assertThat(node.peerState(1)).isEqualTo(Node.PeerState.LEFT);
            }
        }
    }

    /** Joins, and never reads its messages. */
    static final class Victim implements Scenario {
        @Override
        public void run(ScenarioRun run) throws InterruptedException {
            final Node node = run.join();
            node.client().context().barrier(ScenarioRun.deadline());
            run.awaitSignal();
        }
    }

    /**
     * Waits for the victim in one way, then in all others. Rank 0 then puts a word to the last surviving rank, which
     * waits for rank 0 alone.
     */
    static final class Survivor implements Scenario {
        @Override
        public void run(ScenarioRun run) throws Exception {
            final int victim = run.number(0);
            run.onEachNode(node -> {
                final EndlessWaits waits = new EndlessWaits(node, victim);
                if (node.rank() < WAITS.size()) {
                    waitForTheDead(run, node, waits, victim);
                } else if (node.rank() == WAITS.size()) {
                    node.client().context().barrier(ScenarioRun.deadline());
                    run.print("waiting");
                    assertThat(waits.flood(5_000)).isEqualTo(5_000);
                    assertThat(node.metrics().refusals(Refusal.PEER_DEAD)).isPositive();
                } else {
                    waitForTheLiving(run, node, waits);
                }
            });
        }

        private static void waitForTheDead(ScenarioRun run, Node node, EndlessWaits waits, int victim) {
            final Context context = node.client().context();
            context.barrier(ScenarioRun.deadline());
            run.print("waiting");
            final Wait first = WAITS.get(node.rank());
            assertThat(waits.await(first, ScenarioRun.deadline()))
                    .as(first.name())
                    .startsWith("PeerFailedException " + victim + ": ")
                    .contains("rank " + victim + " has died");
            assertThat(node.peerState(victim)).isEqualTo(Node.PeerState.DEAD);
            for (final Wait wait : WAITS) {
                assertThat(waits.await(wait, ScenarioRun.deadline()))
                        .as(wait.name() + " after the death")
                        .startsWith("PeerFailedException " + victim + ": ");
            }
            if (node.rank() == 0) {
                final Window window = node.client().window(8);
                final InjectionCounter injected = node.client().injectionCounter();
                injected.expect(8);
                context.put(context.attach(victim - 1, "living", ScenarioRun.deadline()), 0, window, 0, 8, injected);
                context.await(injected, ScenarioRun.deadline());
            }
        }

        private static void waitForTheLiving(ScenarioRun run, Node node, EndlessWaits waits) {
            final Window window = node.client().window(8);
            final ReceptionCounter living = node.client().receptionCounter(window, 0, 8, 0);
            living.expect(8);
            node.client().publish("living", living);
            node.client().context().barrier(ScenarioRun.deadline());
            run.print("waiting");
            node.client().context().await(living, ScenarioRun.deadline());
            assertThat(waits.await(Wait.CONDITION, ScenarioRun.deadline())).startsWith("PeerFailedException");
        }
    }

    /** Waits for two ranks; the second is the victim. */
    static final class PatternOfTwo implements Scenario {
        @Override
        public void run(ScenarioRun run) {
            try (Node node = run.join()) {
                final Client client = node.client();
                final Context context = client.context();
                final Window window = client.window(1024);
                final CounterPair fromLate = client.counterPair(window, 0, 128, 8, 1);
                final CounterPair fromVictim = client.counterPair(window, 256, 384, 8, 2);
                client.publish("from late", fromLate);
                final ReceptionCounter sink = client.receptionCounter(window, 512, 8);
                client.publish("sink", sink);
                final Target self = context.attach(0, "sink", ScenarioRun.deadline());
                context.barrier(ScenarioRun.deadline());
                final Pattern pattern = context.record(1, Rounds.ORDERED_BY_CALLER, () -> {
                    context.expect(fromLate, 8);
                    context.expect(fromVictim, 8);
                    context.put(self, 0, window, 600, 8);
                });
                run.print("waiting");
                context.await(pattern, 1, ScenarioRun.deadline());
            } catch (SegnoException e) {
                run.print("outcome " + Outcome.of(e));
            }
        }
    }

    /** Sends to rank 0 when the victim is dead. */
    static final class LateSender implements Scenario {
        @Override
        public void run(ScenarioRun run) {
            try (Node node = run.join()) {
                final Context context = node.client().context();
                final Window window = node.client().window(8);
                final Target target = context.attach(0, "from late", ScenarioRun.deadline());
                context.barrier(ScenarioRun.deadline());
                run.print("waiting");
                final EndlessWaits waits = new EndlessWaits(node, 2);
                assertThat(waits.await(Wait.RECEPTION_FROM_RANK, ScenarioRun.deadline()))
                        .startsWith("PeerFailedException 2: ");
                // Generation 1 uses the odd counter.
                context.put(
                        new Target(0, target.counter() + 1, target.incarnation(), target.length(), false),
                        0,
                        window,
                        0,
                        8);
            }
        }
    }

    /** Waits for the dead hub and for a living rank. */
    static final class HubWaiter implements Scenario {
        @Override
        public void run(ScenarioRun run) throws Exception {
            run.onEachNode(node -> {
                final int living = node.rank() % 3 + 1;
                final Wait wait = node.rank() == 1 ? Wait.RECEPTION_FROM_RANK : Wait.ATTACH;
                final EndlessWaits waits = new EndlessWaits(node, living);
                node.client().context().barrier(ScenarioRun.deadline());
                run.print("waiting");
                assertThat(waits.await(wait, ScenarioRun.deadline()))
                        .startsWith("ClosedException: ")
                        .contains("the job has ended")
                        .contains("hub");
                final EndlessWaits forHub = new EndlessWaits(node, 0);
                assertThat(forHub.await(Wait.RECEPTION_FROM_RANK, ScenarioRun.deadline()))
                        .startsWith("PeerFailedException 0: ");
                for (final Wait other : WAITS) {
                    assertThat(waits.await(other, ScenarioRun.deadline()))
                            .as(other.name())
                            // The living rank may read the messages that are sent to it.
                            .matches((other == Wait.INJECTION ? "nothing|" : "")
                                    + "(ClosedException|PeerFailedException 0): .*");
                }
            });
        }
    }

    /** Takes the first steps of a join and stops there. */
    static final class HalfJoined implements Scenario {
        /** Last step of the join. */
        enum Step {
            WELCOME,
            MADE
        }

        @Override
        public void run(ScenarioRun run) throws InterruptedException {
            final int rank = run.job().rank();
            final Step step = Step.valueOf(run.argument(0));
            final Membership membership = Membership.register(NodeAccess.settings(run.job()), new IgnoringListener());
            membership.awaitWelcome(rank, ScenarioRun.deadline());
            if (step == Step.MADE) {
                membership.made(rank);
            }
            // Waits until rank 1 has joined, so that it is present at the death; rank 3 never joins.
            while (membership.pid(1) == 0) {
                Thread.onSpinWait();
            }
            run.print("half joined");
            run.awaitSignal();
        }
    }
}
