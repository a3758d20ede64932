package org.segno.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.List;
import org.agrona.concurrent.UnsafeBuffer;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.segno.context.InjectionFifo;
import org.segno.context.Loan;
import org.segno.memory.CounterPair;
import org.segno.memory.InjectionCounter;
import org.segno.memory.ReceptionCounter;
import org.segno.memory.Target;
import org.segno.message.Messenger;
import org.segno.operation.Message;
import org.segno.operation.Notification;
import org.segno.operation.Rmw;
import org.segno.pattern.Pattern;
import org.segno.pattern.Rounds;
import org.segno.status.ClosedException;
import org.segno.status.PeerFailedException;
import org.segno.status.Refusal;
import org.segno.status.SegnoException;

/** Contract of failures: ranks that leave or die, links that fail, and a lost hub. */
class FailuresContractTest {
    private static final int ID = 5;

    private final UnsafeBuffer bytes = new UnsafeBuffer(new byte[32]);

    private static void requireDead(int rank, ThrowingCallable wait) {
        assertThatThrownBy(wait)
                .isInstanceOfSatisfying(
                        PeerFailedException.class,
                        failed -> assertThat(failed.rank()).isEqualTo(rank))
                .hasMessageContaining("rank " + rank);
    }

    @Behaviour(number = 81, value = "PUT, COUNT and SEND to a rank that has left complete without an error.")
    void shouldCompleteOperationsOnARankThatHasLeft(ContractJob job) {
        job.leaves(job.to);
        job.done.expect(16);
        job.sender.put(job.in, 0, job.source, 0, 8, job.done);
        job.sender.count(job.in, -1);
        job.sender.send(new Message().to(job.to, ID).payload(job.source, 0, 8).completes(job.done));
        job.settle(job.from);
        job.sender.await(job.done, job.deadline());
        assertThat(job.sender.isDrained()).isTrue();
    }

    @Behaviour(number = 102, value = "GET and RMW of a rank that has left are refused, and those behind them continue.")
    void shouldRefuseRequestsToARankThatHasLeft(ContractJob job) {
        job.leaves(job.to);
        job.requireRefused("left the job", () -> job.sender.get(job.in, 0, job.source, 0, 8, job.done));
        job.requireRefused(
                "left the job",
                () -> job.sender.rmw(job.in, 0, new Rmw().fetchAdd(1).completes(job.done)));
        assertThat(job.refusals(job.from, Refusal.PEER_LEFT)).isEqualTo(2);
        job.done.expect(8);
        job.sender.put(job.in, 0, job.source, 0, 8, job.done);
        job.settle(job.from);
        job.sender.await(job.done, job.deadline());
        assertThat(job.sender.isDrained()).isTrue();
    }

    @Behaviour(number = 103, value = "What is sent to a rank that has left does nothing there, whatever it has closed.")
    void shouldDoNothingAtARankThatHasLeft(ContractJob job) {
        final UnsafeBuffer before = new UnsafeBuffer(new byte[64]);
        job.target.buffer().getBytes(0, before, 0, 64);
        final Target closed = new Target(job.to, job.counter.id(), job.counter.incarnation() + 1, 64, false);
        final long[] everyone = new long[1];
        job.pumping(job.from, deadlineNs -> everyone[0] = job.sending().endpoint(job.to, 0, deadlineNs));
        job.leaves(job.to);
        job.done.expect(8 + 600 + 16 + 24);
        job.sender.put(closed, 0, job.source, 0, 8, job.done);
        job.sender.put(job.in, 0, job.source, 0, 600, job.done);
        job.sender.putNotifying(
                job.in, 0, job.source, 0, 16, new Notification().at(ID).completes(job.done));
        job.sender.multicast(
                new Message()
                        .to(job.to, ID)
                        .metadata(job.source, 0, 8)
                        .payload(job.source, 8, 24)
                        .completes(job.done),
                everyone,
                0,
                1);
        job.settle(job.from);
        job.sender.await(job.done, job.deadline());
        assertThat(job.counter.valueAcquire()).isZero();
        for (int i = 0; i < 64; i++) {
            assertThat(job.target.buffer().getByte(i)).isEqualTo(before.getByte(i));
        }
        for (int i = 0; i < 5000; i++) {
            job.inject(() -> job.sender.sendImmediate(job.to, ID, bytes, 0, 32));
            job.engines.pass(job.from);
        }
        job.settle(job.from);
        assertThat(job.sender.isDrained()).as("more than a lane holds").isTrue();
        for (final Refusal refusal : Refusal.values()) {
            assertThat(job.refusals(job.from, refusal)).as(refusal.name()).isZero();
        }
    }

    @Behaviour(number = 104, value = "Loans at a rank that has left are published without an effect.")
    void shouldLendAtARankThatHasLeft(ContractJob job) {
        final Loan loan = job.sender.loan();
        job.leaves(job.to);
        job.done.expect(24);
        assertThat(loan.claim(job.in, 0, 16)).isZero();
        loan.buffer().putLong(0, -1);
        assertThat(loan.publish(job.done)).isNotNegative();
        assertThat(loan.claim(new Message().to(job.to, ID), 8)).isZero();
        assertThat(loan.publish(job.done)).isNotNegative();
        job.settle(job.from);
        job.sender.await(job.done, job.deadline());
        assertThat(job.target.buffer().getLong(0)).isNotEqualTo(-1);
    }

    @Behaviour(number = 109, value = "A claim fails at once for a dead rank, and for too little local memory.")
    void shouldRefuseClaims(ContractJob job) {
        final Loan loan = job.sender.loan(job.source, 0, 64);
        for (final ThrowingCallable claim : List.<ThrowingCallable>of(
                () -> loan.claim(job.in, 0, 65), () -> loan.claim(new Message().to(job.to, ID), 65))) {
            assertThatThrownBy(claim)
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("64 bytes of local memory: length=65");
        }
        job.dies(job.to);
        requireDead(job.to, () -> loan.claim(job.in, 0, 8));
        requireDead(job.to, () -> loan.claim(new Message().to(job.to, ID), 8));
    }

    @Behaviour(number = 82, value = "A wait ends when all of its senders have left, but after their data.")
    void shouldEndAWaitWhoseSendersHaveLeft(ContractJob job) {
        final ReceptionCounter own = job.receiving().receptionCounter(job.target, 0, 64, job.from);
        final Target to = ContractJob.target(job.to, own);
        own.expect(8);
        job.sender.put(to, 0, job.source, 0, 8);
        job.engines.pass(job.from);
        job.leaves(job.from);
        job.receiver.await(own, job.deadline());
        ContractJob.requireCopied(job.target, 0, 0, 8);
        own.expect(8);
        assertThatThrownBy(() -> job.receiver.await(own, job.deadline()))
                .isInstanceOf(ClosedException.class)
                .hasMessageContaining("has left");
    }

    @Behaviour(number = 138, value = "What all FIFOs of a rank that leaves have sent arrives, and then its waits end.")
    void shouldLandWhatAllFifosHaveSentBeforeTheirRankLeaves(ContractJob job) {
        final ReceptionCounter own = job.receiving().receptionCounter(job.target, 0, 64, job.from);
        final Target to = ContractJob.target(job.to, own);
        own.expect(3 * 8);
        job.sender.injectionFifo().put(to, 0, job.source, 0, 8);
        job.sender.injectionFifo().put(to, 8, job.source, 8, 8);
        job.sending().context(1).put(to, 16, job.source, 16, 8);
        job.engines.pass(job.from);
        job.leaves(job.from);
        job.receiver.await(own, job.deadline());
        ContractJob.requireCopied(job.target, 0, 0, 24);
        own.expect(8);
        assertThatThrownBy(() -> job.receiver.await(own, job.deadline()))
                .isInstanceOf(ClosedException.class)
                .hasMessageContaining("has left");
    }

    @Behaviour(number = 139, value = "What all FIFOs have asked a rank for ends, by its name, when that rank is lost.")
    void shouldEndTheWorkOfAllFifosAtALostRank(ContractJob job) {
        final List<InjectionFifo> fifos = List.of(job.sender.injectionFifo(), job.sender.injectionFifo());
        final List<InjectionCounter> lost = new ArrayList<>();
        fifos.forEach(fifo -> lost.add(read(job, fifo)));
        job.engines.pass(job.from);
        if (!job.isLinked()) {
            // The pass has read mapped memory. Over links, the requests are on their way when the rank is lost.
            lost.forEach(counter -> job.sender.await(counter, job.deadline()));
            lost.clear();
        }
        fifos.forEach(fifo -> lost.add(read(job, fifo)));
        job.loses(job.to, job.from);
        job.settle(job.from);
        for (final InjectionCounter counter : lost) {
            requireDead(job.to, () -> job.sender.await(counter, job.deadline()));
        }
        for (final InjectionFifo fifo : fifos) {
            assertThat(fifo.fill()).isZero();
        }
        assertThat(job.sender.isDrained()).isTrue();
    }

    private static InjectionCounter read(ContractJob job, InjectionFifo fifo) {
        final InjectionCounter counter = job.sending().injectionCounter();
        counter.expect(8);
        fifo.get(job.in, 8192, job.source, 8192, 8, counter);
        return counter;
    }

    @Behaviour(number = 83, value = "Each kind of wait names the dead rank, but only after its data.")
    void shouldNameTheDeadRankInEachWait(ContractJob job) {
        final ReceptionCounter own = job.receiving().receptionCounter(job.target, 0, 64, job.from);
        final List<Long> received = ContractJob.noting(job.receiver, ID);
        // The first message obtains a lane, for which its sender has to live.
        job.sender.sendImmediate(job.to, ID, bytes, 0, 8);
        job.settle();
        own.expect(8);
        job.sender.put(ContractJob.target(job.to, own), 0, job.source, 0, 8);
        job.sender.sendImmediate(job.to, ID, bytes, 0, 8);
        job.engines.pass(job.from);
        job.dies(job.from);
        job.receiver.await(own, job.deadline());
        job.receiver.await(() -> received.size() == 2, job.deadline());
        own.expect(8);
        job.counter.expect(8);
        requireDead(job.from, () -> job.receiver.await(own, job.deadline()));
        requireDead(job.from, () -> job.receiver.await(job.counter, job.deadline()));
        requireDead(job.from, () -> job.receiver.await(() -> false, job.deadline()));
        requireDead(job.from, () -> job.receiver.barrier(job.deadline()));
        requireDead(job.from, () -> job.receiver.attach(job.from, "later", job.deadline()));
    }

    @Behaviour(number = 84, value = "A WAIT for a dead rank is refused, and its FIFO continues.")
    void shouldContinueBehindAWaitForADeadRank(ContractJob job) {
        final ReceptionCounter gate = job.receiving().receptionCounter(job.target, 0, 8, job.from);
        final ReceptionCounter own = job.receiving().receptionCounter(job.target, 0, 8);
        gate.expect(1);
        job.receiver.waitUntil(gate, 0);
        job.receiver.count(ContractJob.target(job.to, own), -1);
        job.settle();
        assertThat(own.valueAcquire()).as("held").isZero();
        job.dies(job.from);
        job.settle();
        assertThat(own.valueAcquire()).isEqualTo(-1);
        assertThat(job.receiver.isDrained()).isTrue();
    }

    @Behaviour(number = 136, value = "A WAIT for a rank that has left holds its FIFO; waits behind it say so.")
    void shouldEndWaitsBehindAWaitForARankThatHasLeft(ContractJob job) {
        final ReceptionCounter gate = job.receiving().receptionCounter(job.target, 0, 8, job.from);
        gate.expect(8);
        job.receiver.waitUntil(gate, 0);
        job.settle();
        job.leaves(job.from);
        job.settle(job.to);
        assertThat(job.receiver.isDrained()).isFalse();
        assertThatThrownBy(() -> job.receiver.fence(job.deadline()))
                .isInstanceOf(ClosedException.class)
                .hasMessageContaining("every possible sender has left");
    }

    @Behaviour(number = 85, value = "A round, and a long message, that need a dead rank fail by its name.")
    void shouldFailARoundAndAMessageOfADeadRank(ContractJob job) {
        final CounterPair inbox = job.receiving().counterPair(job.target, 0, 8, 8, job.from);
        final Pattern pattern = job.receiver.prepare(Rounds.ALTERNATE, () -> {
            job.receiver.expect(inbox, 8);
            job.receiver.copy(job.target, 64, job.target, 128, 8);
        });
        final Messenger messenger = Messenger.open(job.receiving(), job.receiver);
        final List<SegnoException> failures = new ArrayList<>();
        job.receiver.replay(pattern);
        messenger.send(new Message().to(job.from, ID).payload(job.target, 0, 5000), null, failures::add);
        job.receiver.advance();
        job.dies(job.from);
        requireDead(job.from, () -> job.receiver.await(pattern, 1, job.deadline()));
        for (int turn = 0; turn < 100; turn++) {
            job.receiver.advance();
        }
        assertThat(failures).singleElement().isInstanceOf(PeerFailedException.class);
    }

    @Behaviour(number = 86, value = "An operation whose peer is lost completes only if its bytes are at the target.")
    void shouldCompleteOnlyWhatHasLanded(ContractJob job) {
        final InjectionCounter read = job.sending().injectionCounter();
        job.done.expect(600);
        read.expect(8);
        job.sender.put(job.in, 0, job.source, 0, 600, job.done);
        job.sender.get(job.in, 8192, job.source, 8192, 8, read);
        job.engines.pass(job.from);
        job.loses(job.to, job.from);
        job.settle(job.from);

        for (final InjectionCounter counter : List.of(job.done, read)) {
            if (counter.errorAcquire() != 0 || counter.valueAcquire() > 0) {
                assertThatThrownBy(() -> job.sender.await(counter, job.deadline()))
                        .isInstanceOf(SegnoException.class)
                        .hasMessageContaining("rank " + job.to);
            }
        }
        if (job.done.errorAcquire() == 0) {
            ContractJob.requireCopied(job.target, 0, 0, 600);
        }
    }

    @Behaviour(number = 87, value = "The waits of a receiver end at once when its sender is lost.")
    void shouldEndTheWaitsOfTheReceiver(ContractJob job) {
        final ReceptionCounter own = job.receiving().receptionCounter(job.target, 0, 64, job.from);
        own.expect(8);
        job.loses(job.from, job.to);
        job.settle(job.to);
        requireDead(job.from, () -> job.receiver.await(own, job.deadline()));
    }

    @Behaviour(
            number = 88,
            value = "Descriptors for a dead rank fail, and those behind them are carried out.",
            all = true)
    void shouldContinueBehindFailedDescriptors(ContractJob job) {
        final ReceptionCounter other =
                job.client(3).receptionCounter(job.client(3).window(64), 0, 64);
        final InjectionCounter sent = job.sending().injectionCounter();
        job.dies(job.to);
        job.done.expect(3 * 8);
        sent.expect(8);
        job.sender.put(job.in, 0, job.source, 0, 8, job.done);
        job.sender.get(job.in, 0, job.source, 64, 8, job.done);
        job.sender.rmw(job.in, 0, new Rmw().fetchAdd(1).completes(job.done));
        job.sender.sendImmediate(job.to, ID, bytes, 0, 8);
        job.sender.put(ContractJob.target(3, other), 0, job.source, 0, 8, sent);
        job.settle(job.from, 3);
        requireDead(job.to, () -> job.sender.await(job.done, job.deadline()));
        job.sender.await(sent, job.deadline());
        assertThat(other.valueAcquire()).isEqualTo(-8);
    }

    @Behaviour(number = 89, value = "Work that waits for room at a rank ends when that rank is lost.")
    void shouldReleaseWorkThatWaitsForALostRank(ContractJob job) {
        for (int turn = 0; turn < 500; turn++) {
            while (job.sender.sendImmediate(job.to, ID, bytes, 0, 32) >= 0) {
                assertThat(turn).isNotNegative();
            }
            job.engines.pass(job.from);
        }
        assertThat(job.sender.isDrained()).isFalse();
        job.loses(job.to, job.from);
        job.settle(job.from);
        assertThat(job.sender.isDrained()).isTrue();
        job.done.expect(8);
        job.sender.put(job.in, 0, job.source, 0, 8, job.done);
        job.settle(job.from);
        assertThatThrownBy(() -> job.sender.await(job.done, job.deadline()))
                .isInstanceOf(SegnoException.class)
                .hasMessageContaining("rank " + job.to);
    }

    @Behaviour(number = 90, value = "All waits end when the hub is lost.")
    void shouldEndAllWaitsWithoutAHub(ContractJob job) {
        job.counter.expect(8);
        job.engines.states(job.to).loseHub();
        assertThatThrownBy(() -> job.receiver.await(job.counter, job.deadline()))
                .isInstanceOf(ClosedException.class)
                .hasMessageContaining("its hub");
        assertThatThrownBy(() -> job.receiver.await(() -> false, job.deadline()))
                .isInstanceOf(ClosedException.class)
                .hasMessageContaining("its hub");
    }
}
