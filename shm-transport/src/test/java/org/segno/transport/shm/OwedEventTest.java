package org.segno.transport.shm;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.segno.context.Context;
import org.segno.memory.InjectionCounter;
import org.segno.memory.ReceptionCounter;
import org.segno.memory.Target;
import org.segno.memory.Window;
import org.segno.node.JobConfig;
import org.segno.node.Node;
import org.segno.node.NodeConfig.Threading;
import org.segno.operation.Message;

/** Hits whose events had no room in their lane, of a process that is killed before there is room. */
class OwedEventTest {
    private static final int WORD = Long.BYTES;
    private static final long VALUE = 0x5EB0_1234_5678_9ABCL;
    private static final int ID = 3;

    @RegisterExtension
    final ProcessPool pool = new ProcessPool();

    @Test
    void shouldRaiseTheEventAlthoughItsOriginWasKilledAfterTheLanding() {
        final JobConfig job = pool.job("owed", 2);
        final TestProcess owner = pool.start(Owner.class, job, Threading.INVOKER, 0);
        final TestProcess writer = pool.start(Writer.class, job, Threading.INVOKER, 1);
        writer.expect("landed");
        writer.kill();
        owner.signalScenario();
        assertThat(owner.expect("handled")).isEqualTo("1");
        owner.awaitEnd();
    }

    /** Advances only after the writer was killed. */
    static final class Owner implements Scenario {
        private int hits;

        @Override
        public void run(ScenarioRun run) throws InterruptedException {
            try (Node node = run.join()) {
                final Context context = node.client().context();
                final Window window = node.client().window(WORD);
                final ReceptionCounter counter = node.client().receptionCounter(window, 0, WORD);
                context.onHit(counter, id -> {
                    assertThat(window.buffer().getLong(0)).isEqualTo(VALUE);
                    hits++;
                });
                node.client().publish("word", counter);
                counter.expect(WORD);
                context.barrier(ScenarioRun.deadline());
                run.awaitSignal();
                context.await(() -> hits != 0, ScenarioRun.deadline());
                run.print("handled " + hits);
            }
        }
    }

    /** Puts one word while an open loan leaves no room in the lane of the event. */
    static final class Writer implements Scenario {
        @Override
        public void run(ScenarioRun run) throws InterruptedException {
            try (Node node = run.join()) {
                final Context context = node.client().context();
                final Window window = node.client().window(WORD);
                window.buffer().putLong(0, VALUE);
                final InjectionCounter done = node.client().injectionCounter();
                final Target word = context.attach(0, "word", ScenarioRun.deadline());
                context.barrier(ScenarioRun.deadline());
                assertThat(context.loan().claim(new Message().to(0, ID), WORD)).isNotNegative();
                done.expect(WORD);
                context.put(word, 0, window, 0, WORD, done);
                context.await(done, ScenarioRun.deadline());
                run.print("landed");
                run.awaitSignal();
            }
        }
    }
}
