package org.segno.contract;

import static java.util.concurrent.TimeUnit.MILLISECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.segno.contract.ContractJob.RANKS;

import org.segno.memory.Closing;
import org.segno.memory.ReceptionCounter;
import org.segno.memory.Target;
import org.segno.status.Deadline;
import org.segno.status.DeadlineException;
import org.segno.status.Refusal;
import org.segno.status.Status;

/** Contract of names, barriers, closing, and further uses of counters. */
class NamesContractTest {
    private static Target attach(ContractJob job, String name) {
        final Target[] found = new Target[1];
        job.pumping(job.from, deadlineNs -> found[0] = job.sender.attach(job.to, name, deadlineNs));
        return found[0];
    }

    @Behaviour(
            number = 75,
            value = "A peer finds a name when it is published, and the next counter of that name later.")
    void shouldFindPublishedNames(ContractJob job) {
        assertThatThrownBy(() -> job.sender.attach(job.to, "inbox", soon()))
                .isInstanceOf(DeadlineException.class)
                .hasMessageContaining("rank " + job.to + " to publish \"inbox\"");
        final ReceptionCounter first = job.inbox(0, 64);
        job.receiving().publish("inbox", first);
        assertThat(attach(job, "inbox")).isEqualTo(ContractJob.target(job.to, first));
        job.receiving().withdraw("inbox");
        final ReceptionCounter second = job.inbox(64, 32);
        job.receiving().publish("inbox", second);
        job.settle();
        assertThat(attach(job, "inbox")).isEqualTo(ContractJob.target(job.to, second));
    }

    @Behaviour(number = 76, value = "A peer finds a name while its own FIFO is held.")
    void shouldFindANameWhileItsFifoIsHeld(ContractJob job) {
        final ReceptionCounter gate = job.sending().receptionCounter(job.source, 0, 0);
        gate.expect(1);
        job.sender.waitUntil(gate, 0);
        job.sender.advance();
        job.receiving().publish("inbox", job.counter);
        assertThat(attach(job, "inbox")).isEqualTo(job.in);
        assertThat(job.sender.isDrained()).isFalse();
    }

    @Behaviour(number = 78, value = "No rank leaves a barrier before all have entered it.", all = true)
    void shouldPassBarriersTogether(ContractJob job) {
        for (int round = 0; round < 3; round++) {
            final int last = round;
            for (int rank = 0; rank < RANKS; rank++) {
                if (rank != last) {
                    final int waiting = rank;
                    assertThatThrownBy(() -> job.context(waiting).barrier(soon()))
                            .isInstanceOf(DeadlineException.class);
                }
            }
            job.pumping(last, deadlineNs -> job.context(last).barrier(deadlineNs));
            for (int rank = 0; rank < RANKS; rank++) {
                final int waiting = rank;
                if (rank != last) {
                    job.pumping(rank, deadlineNs -> job.context(waiting).barrier(deadlineNs));
                }
            }
        }
    }

    @Behaviour(number = 110, value = "A barrier joins contexts that another client had at one rank before.", all = true)
    void shouldPassBarriersOfAFurtherUse(ContractJob job) {
        job.reuse();
        for (int round = 0; round < 2; round++) {
            for (int rank = 0; rank < RANKS - 1; rank++) {
                final int waiting = rank;
                assertThatThrownBy(() -> job.client(waiting).context(1).barrier(soon()))
                        .isInstanceOf(DeadlineException.class);
            }
            for (int rank = RANKS - 1; rank >= 0; rank--) {
                final int last = rank;
                job.pumping(rank, deadlineNs -> job.client(last).context(1).barrier(deadlineNs));
            }
        }
    }

    private static long soon() {
        return Deadline.in(1, MILLISECONDS);
    }

    private static void settle(ContractJob job, Closing closing) {
        for (int turn = 0; turn < 100 && !closing.isDone(); turn++) {
            job.settle();
        }
        assertThat(closing.isDone()).isTrue();
    }

    @Behaviour(
            number = 79,
            value = "Targets of an earlier use of a counter are refused: PUT, COUNT, GET and RMW alike.")
    void shouldRefuseTargetsOfAnEarlierUse(ContractJob job) {
        final ReceptionCounter earlier = job.inbox(0, 64);
        final Target stale = ContractJob.target(job.to, earlier);
        settle(job, job.receiving().close(earlier));
        final ReceptionCounter present = job.inbox(0, 64);
        assertThat(present.id()).isEqualTo(earlier.id());
        job.requireRefused(Refusal.STALE_COUNTER.reason(), () -> job.sender.put(stale, 0, job.source, 0, 8, job.done));
        job.requireRefused(Refusal.STALE_COUNTER.reason(), () -> job.sender.get(stale, 0, job.source, 64, 8, job.done));
        job.sender.count(stale, -1);
        job.settle();
        assertThat(present.valueAcquire()).isZero();
        ContractJob.requireAll(job.target, 0, 64, 0);
        job.sender.put(ContractJob.target(job.to, present), 0, job.source, 0, 8);
        job.settle();
        assertThat(present.valueAcquire()).isEqualTo(-8);
    }

    @Behaviour(
            number = 80,
            value = "The id and the memory of a closed counter are free when all engines are quiet.",
            all = true)
    void shouldCloseWhenAllEnginesAreQuiet(ContractJob job) {
        final ReceptionCounter open = job.inbox(0, 64);
        for (int rank = 0; rank < RANKS; rank++) {
            // From now on its engine does not rest.
            job.engines.pass(rank);
        }
        final Closing closing = job.receiving().close(open);
        for (int turn = 0; turn < 100; turn++) {
            job.receiver.advance();
        }
        assertThat(closing.isDone()).as("other engines may still write").isFalse();
        settle(job, closing);
        assertThat(job.sender.put(ContractJob.target(job.to, open), 0, job.source, 0, 8))
                .isNotEqualTo(Status.BACK_PRESSURED);
        job.settle();
        ContractJob.requireAll(job.target, 0, 64, 0);
    }
}
