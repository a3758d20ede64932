package org.segno.transport.shm;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.concurrent.TimeUnit;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.segno.context.Client;
import org.segno.context.Context;
import org.segno.memory.InjectionCounter;
import org.segno.memory.ReceptionCounter;
import org.segno.memory.Right;
import org.segno.memory.Target;
import org.segno.memory.Window;
import org.segno.multisend.ManyToMany;
import org.segno.multisend.Pieces;
import org.segno.node.JobConfig;
import org.segno.node.Node;
import org.segno.node.NodeConfig.Threading;
import org.segno.operation.Rmw;
import org.segno.pattern.Pattern;
import org.segno.pattern.Rounds;
import org.segno.status.Deadline;
import org.segno.status.DeadlineException;
import org.segno.status.PeerFailedException;

/**
 * One-sided operations on the memory of an idle rank. They need neither its application nor its engine: operations on a
 * stopped rank complete, those on a dead rank are refused with its number.
 */
class DeadOwnerTest {
    private static final int WORDS = 8;

    @RegisterExtension
    final ProcessPool pool = new ProcessPool();

    @Test
    void shouldCompleteOnAStoppedOwnerAndNameADeadOne() {
        final JobConfig job = pool.job("owner", 2);
        final TestProcess user = pool.start(User.class, job, Threading.INVOKER, 0);
        final TestProcess owner = pool.start(Owner.class, job, Threading.INVOKER, 1);
        owner.expect("paused");
        owner.stop();
        user.signalScenario();
        user.expect("served");

        owner.kill();

        user.expect("refused");
        user.awaitEnd();
    }

    /** Stops the other rank after it has published its side and before it reads its messages. */
    @Test
    void shouldEndTheOpeningOfAnExchangeAtItsDeadlineIfAStoppedRankBlocksItsFifo() {
        final JobConfig job = pool.job("opening", 2);
        final TestProcess opener = pool.start(Opener.class, job, Threading.INVOKER, 0);
        final TestProcess other = pool.start(OtherOpener.class, job, Threading.INVOKER, 1);
        opener.expect("published");
        other.stop();

        opener.signalScenario();

        assertThat(opener.expect("missed"))
                .startsWith("DeadlineException: ")
                .contains("the next descriptor of the context's own FIFO is a SEND for context 0 of rank 1");
        other.resume();
        opener.awaitEnd();
        other.awaitEnd();
    }

    /** Owns words that the user may write, read and change. */
    static final class Owner implements Scenario {
        @Override
        public void run(ScenarioRun run) throws InterruptedException {
            try (Node node = run.join()) {
                final Client client = node.client();
                final Window window = client.window(WORDS * Long.BYTES);
                window.buffer().putLong(0, 42);
                client.publish(
                        "words",
                        client.receptionCounter(
                                window,
                                0,
                                window.length(),
                                ReceptionCounter.ANYBODY,
                                Right.PUT,
                                Right.GET,
                                Right.ATOMIC));
                client.context().barrier(ScenarioRun.deadline());
                run.print("paused");
                run.awaitSignal();
            }
        }
    }

    /** Puts, gets and changes these words: first directly, then by a replay, then after the owner's death. */
    static final class User implements Scenario {
        @Override
        public void run(ScenarioRun run) throws InterruptedException {
            try (Node node = run.join()) {
                final Context context = node.client().context();
                final Window window = node.client().window(WORDS * Long.BYTES);
                final InjectionCounter done = node.client().injectionCounter();
                final Target words = context.attach(1, "words", ScenarioRun.deadline());
                context.barrier(ScenarioRun.deadline());
                final Rmw add = new Rmw().fetchAdd(5).result(window, 16).completes(done);
                final Pattern prepared = context.prepare(
                        Rounds.ORDERED_BY_CALLER, () -> context.get(words, 8, window, 32, Long.BYTES, done));
                run.awaitSignal();

                all(context, words, window, done, add);
                assertThat(window.buffer().getLong(8)).as("read").isEqualTo(42);
                assertThat(window.buffer().getLong(16))
                        .as("before it was changed")
                        .isEqualTo(42);
                done.expect(Long.BYTES);
                context.replay(prepared);
                context.await(prepared, 1, ScenarioRun.deadline());
                assertThat(window.buffer().getLong(32)).as("what was put there").isEqualTo(7);
                run.print("served");

                assertThatThrownBy(() -> context.await(() -> false, ScenarioRun.deadline()))
                        .isInstanceOf(PeerFailedException.class);
                for (int operation = 0; operation < 3; operation++) {
                    final int which = operation;
                    done.reset();
                    assertThatThrownBy(() -> one(which, context, words, window, done, add))
                            .isInstanceOf(PeerFailedException.class)
                            .hasMessageContaining("rank 1 has died");
                }
                assertThat(window.buffer().getLong(16)).as("not changed again").isEqualTo(42);
                assertThatThrownBy(() -> context.replay(prepared))
                        .isInstanceOf(PeerFailedException.class)
                        .hasMessageContaining("rank 1 has died, and it needs this rank");
                context.fence(ScenarioRun.deadline());
                run.print("refused");
            }
        }

        private static void all(Context context, Target words, Window window, InjectionCounter done, Rmw add) {
            for (int operation = 0; operation < 3; operation++) {
                one(operation, context, words, window, done, add);
            }
        }

        private static void one(
                int operation, Context context, Target words, Window window, InjectionCounter done, Rmw add) {
            done.expect(Long.BYTES);
            switch (operation) {
                case 0 -> {
                    window.buffer().putLong(24, 7);
                    context.put(words, 8, window, 24, Long.BYTES, done);
                }
                case 1 -> context.get(words, 0, window, 8, Long.BYTES, done);
                default -> context.rmw(words, 0, add);
            }
            context.await(done, ScenarioRun.deadline());
        }
    }

    private static ManyToMany open(Node node, long deadlineNs) {
        final Window window = node.client().window(24);
        final Pieces pieces = new Pieces().add(1 - node.rank(), 0, 8);
        return ManyToMany.open(
                node.client(),
                node.client().context(),
                1,
                new ManyToMany.Sides(window, pieces, new ManyToMany.Places(window, 8, 16, 8), pieces),
                deadlineNs);
    }

    /** Fills its lane and its FIFO, then opens the exchange. */
    static final class Opener implements Scenario {
        private static final int DISPATCH = 5;

        @Override
        public void run(ScenarioRun run) throws InterruptedException {
            try (Node node = run.join(Protocol.config())) {
                final Context context = node.client().context();
                context.attach(1, "many-to-many.1.plan", ScenarioRun.deadline());
                run.print("published");
                run.awaitSignal();
                final UnsafeBuffer bytes = new UnsafeBuffer(new byte[8]);
                int full = 0;
                // Many times: the other rank may take some messages yet before all of its threads have stopped.
                while (full < 1000) {
                    full = context.sendImmediate(1, DISPATCH, bytes, 0, 8) < 0 ? full + 1 : 0;
                    if (full > 0) {
                        context.advance();
                    }
                }
                try {
                    open(node, Deadline.in(30, TimeUnit.MILLISECONDS));
                    run.print("missed nothing");
                } catch (DeadlineException e) {
                    run.print("missed " + Outcome.of(e));
                }
                final ManyToMany exchange = open(node, ScenarioRun.deadline());
                exchange.start();
                exchange.await(ScenarioRun.deadline());
                context.barrier(ScenarioRun.deadline());
            }
        }
    }

    /** Opens the exchange and waits for the other rank. */
    static final class OtherOpener implements Scenario {
        @Override
        public void run(ScenarioRun run) {
            try (Node node = run.join(Protocol.config())) {
                node.client().context().handler(Opener.DISPATCH, (source, buffer, m, ml, p, pl) -> {});
                final ManyToMany exchange = open(node, ScenarioRun.deadline());
                exchange.start();
                exchange.await(ScenarioRun.deadline());
                node.client().context().barrier(ScenarioRun.deadline());
            }
        }
    }
}
