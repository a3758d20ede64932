package org.segno.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.List;
import org.segno.context.Client;
import org.segno.context.ContextAccess;
import org.segno.context.Loan;
import org.segno.engine.metrics.Metric;
import org.segno.engine.metrics.NodeMetrics;
import org.segno.geometry.Endpoint;
import org.segno.memory.Closing;
import org.segno.memory.ReceptionCounter;
import org.segno.memory.Target;
import org.segno.memory.Window;
import org.segno.operation.Message;
import org.segno.operation.Notification;
import org.segno.status.PeerFailedException;
import org.segno.status.Refusal;
import org.segno.status.RefusedException;

/** Contract of loans: the calls and their results are the same wherever a loan lies. */
class LoansContractTest {
    private static final int ID = 5;

    /** More turns than a refusal needs. */
    private static final int TURNS = 100;

    private static void claim(ContractJob job, Loan loan, Target target, long offset, int length) {
        job.inject(() -> loan.claim(target, offset, length));
    }

    @Behaviour(number = 121, value = "Loans without local memory of the program arrive when they are published.")
    void shouldLendWithoutLocalMemory(ContractJob job) {
        final List<Long> received = ContractJob.noting(job.receiver, ID);
        final Loan first = job.sender.loan();
        final Loan second = job.sender.loan();
        claim(job, first, job.in, 0, 100);
        claim(job, second, job.in, 200, 5000);
        first.buffer().putLong(0, 11);
        second.buffer().putLong(4992, 12);
        first.publish();
        second.publish();
        job.settle();
        assertThat(job.counter.valueAcquire()).isEqualTo(-5100);
        assertThat(job.target.buffer().getLong(0)).isEqualTo(11);
        assertThat(job.target.buffer().getLong(5192)).isEqualTo(12);
        for (int i = 1; i <= 50; i++) {
            final int word = i;
            job.inject(() -> first.claim(new Message().to(job.to, ID), 8 * word));
            first.buffer().putLong(0, word);
            job.inject(first::publish);
        }
        job.settle();
        assertThat(received).hasSize(50).startsWith(1L, 2L).endsWith(50L);
        claim(job, first, job.in, 8, 0);
        first.publish(new Notification().at(ID));
        claim(job, first, job.in, 8, 64);
        first.abandon();
        job.settle();
        assertThat(received).hasSize(51);
        assertThat(job.counter.valueAcquire()).isEqualTo(-5100);
    }

    @Behaviour(number = 122, value = "A loan that its counter does not admit is claimed, and refused once published.")
    void shouldRefusePublishedRanges(ContractJob job) {
        final ReceptionCounter closed = job.inbox(0, 64);
        final ReceptionCounter disabled = job.inbox(64, 64);
        final ReceptionCounter other = job.receiving().receptionCounter(job.target, 128, 64, job.to);
        final ReceptionCounter narrow = job.inbox(192, 8);
        job.receiving().close(closed);
        disabled.disable();
        requireRefused(job, ContractJob.target(job.to, closed), Refusal.STALE_COUNTER);
        requireRefused(job, ContractJob.target(job.to, disabled), Refusal.COUNTER_DISABLED);
        requireRefused(job, ContractJob.target(job.to, other), Refusal.SOURCE_NOT_ADMITTED);
        requireRefused(
                job, new Target(job.to, narrow.id(), narrow.incarnation(), 64, false), Refusal.TARGET_OUT_OF_BOUNDS);
        requireRefused(
                job, new Target(job.to, narrow.id(), narrow.incarnation() + 1, 64, false), Refusal.STALE_COUNTER);
        ContractJob.requireAll(job.target, 0, 256, 0);
        assertThat(other.valueAcquire() + narrow.valueAcquire()).isZero();
        claim(job, job.sender.loan(), ContractJob.target(job.to, narrow), 0, 8);
    }

    private static void requireRefused(ContractJob job, Target target, Refusal refusal) {
        final Loan loan = job.sender.loan();
        claim(job, loan, target, 8, 16);
        loan.buffer().putLong(0, -1);
        loan.abandon();
        claim(job, loan, target, 8, 16);
        loan.buffer().putLong(0, -1);
        final long before = job.refusals(job.from, refusal);
        job.requireRefused(refusal.reason(), () -> loan.publish(job.done));
        assertThat(job.refusals(job.from, refusal)).as(refusal.name()).isEqualTo(before + 1);
    }

    @Behaviour(number = 123, value = "A record for a client that was closed is claimed, and refused once published.")
    void shouldRefusePublishedRecords(ContractJob job) {
        final Message stale = new Message().to(Endpoint.of(job.to, 0, 1, 1, 0), ID);
        job.reuse();
        final List<Long> received = ContractJob.noting(job.receiving().context(1), ID);
        final Loan loan = job.sender.loan();
        job.inject(() -> loan.claim(stale, 16));
        loan.buffer().putLong(0, -1);
        job.requireRefused(Refusal.STALE_CONTEXT.reason(), () -> loan.publish(job.done));
        assertThat(received).isEmpty();
    }

    @Behaviour(number = 124, value = "A loan that is open when its counter is closed is refused once published.")
    void shouldRefuseALoanOfACounterThatWasClosedMeanwhile(ContractJob job) {
        final ReceptionCounter closed = job.inbox(0, 64);
        final Loan loan = job.sender.loan();
        claim(job, loan, ContractJob.target(job.to, closed), 0, 16);
        job.receiving().close(closed);
        job.settle();
        job.done.expect(16);
        loan.publish(job.done);
        job.settle();
        assertThatThrownBy(() -> job.sender.await(job.done, job.deadline())).isInstanceOf(RefusedException.class);
    }

    @Behaviour(number = 128, value = "A record that is open when its client is closed is refused once published.")
    void shouldRefuseARecordOfAClientThatWasClosedMeanwhile(ContractJob job) {
        final Client closed = ContextAccess.openClient(
                job.receiving(), new ContextAccess.ClientRequest("alpha", 1, 1, 1, 0, new int[0]));
        final List<Long> received = ContractJob.noting(closed.context(), ID);
        final Loan loan = job.sender.loan();
        job.inject(() -> loan.claim(new Message().to(closed.context().endpoint(), ID), 16));
        final Closing closing = closed.close();
        job.done.expect(16);
        assertThat(loan.publish(job.done)).isNotNegative();
        for (int turn = 0; turn < TURNS; turn++) {
            job.sender.advance();
            job.receiver.advance();
            job.advanceOthers(job.to);
        }
        assertThatThrownBy(() -> job.sender.await(job.done, job.deadline()))
                .isInstanceOf(RefusedException.class)
                .hasMessageContaining(Refusal.STALE_CONTEXT.reason());
        assertThat(job.refusals(job.from, Refusal.STALE_CONTEXT)).isEqualTo(1);
        assertThat(received).isEmpty();
        assertThat(closing.isDone()).isTrue();
    }

    @Behaviour(number = 129, value = "A record that is open when its rank dies fails once published.")
    void shouldFailARecordOfARankThatDiedMeanwhile(ContractJob job) {
        final Loan loan = job.sender.loan();
        job.inject(() -> loan.claim(new Message().to(job.to, ID), 16));
        job.dies(job.to);
        job.done.expect(16);
        assertThat(loan.publish(job.done)).isNotNegative();
        job.settle(job.from);
        assertThatThrownBy(() -> job.sender.await(job.done, job.deadline())).isInstanceOf(PeerFailedException.class);
        assertThat(job.refusals(job.from, Refusal.PEER_DEAD)).isEqualTo(1);
    }

    @Behaviour(number = 130, value = "A record that is open when its rank leaves is published without an effect.")
    void shouldDropARecordOfARankThatLeftMeanwhile(ContractJob job) {
        final List<Long> received = ContractJob.noting(job.receiver, ID);
        final Loan loan = job.sender.loan();
        job.inject(() -> loan.claim(new Message().to(job.to, ID), 16));
        job.leaves(job.to);
        job.done.expect(16);
        assertThat(loan.publish(job.done)).isNotNegative();
        job.settle();
        job.sender.await(job.done, job.deadline());
        assertThat(received).isEmpty();
        assertThat(job.engines.metrics(job.from).get(Metric.RECORDS)).isZero();
        assertThat(job.engines.metrics(job.from).get(Metric.BYTES)).isZero();
    }

    @Behaviour(number = 132, value = "The metadata of a record are those that its memory had at the claim.")
    void shouldCopyMetadataAtTheClaim(ContractJob job) {
        final List<Long> received = new ArrayList<>();
        job.receiver.handler(ID, (origin, buffer, metadata, length, payload, payloadLength) -> {
            received.add(buffer.getLong(metadata));
            received.add(buffer.getLong(metadata + length - Long.BYTES));
            received.add(buffer.getLong(payload));
        });
        final Window local = job.sending().window(256);
        final ReceptionCounter range = job.sending().receptionCounter(local, 128, 128);
        final Loan own = job.sender.loan(job.sending().window(13 + 128), 0, 13 + 128);
        for (final Loan loan : new Loan[] {job.sender.loan(), own}) {
            local.buffer().setMemory(0, 256, (byte) 1);
            for (final Message message : new Message[] {
                new Message().to(job.to, ID).metadata(local, 8, 16),
                new Message().to(job.to, ID).metadata(range, 0, 128),
                new Message().to(job.to, ID).metadata(local.buffer(), 8, 16)
            }) {
                received.clear();
                local.buffer().setMemory(0, 256, (byte) 1);
                job.inject(() -> loan.claim(message, 13));
                loan.buffer().setMemory(0, 13, (byte) 3);
                local.buffer().setMemory(0, 256, (byte) 2);
                job.inject(loan::publish);
                job.settle();
                assertThat(received).containsExactly(0x0101010101010101L, 0x0101010101010101L, 0x0303030303030303L);
            }
        }
        final Message longer = new Message().to(job.to, ID).metadata(local, 0, 128);
        assertThatThrownBy(() -> own.claim(longer, 14))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("the loan has 141 bytes of local memory: length=14 metadata=128");
    }

    @Behaviour(
            number = 133,
            value = "A record follows what was sent before its claim, and precedes what is sent later.")
    void shouldKeepTheOrderOfRecords(ContractJob job) {
        final List<Long> received = ContractJob.noting(job.receiver, ID);
        final Loan loan = job.sender.loan();
        for (int i = 0; i < 60; i += 2) {
            send(job, i);
            job.inject(() -> loan.claim(new Message().to(job.to, ID), 8));
            loan.buffer().putLong(0, i + 1);
            job.inject(loan::publish);
        }
        send(job, 60);
        job.settle();
        assertThat(received).hasSize(61).isSorted();
    }

    private static void send(ContractJob job, long number) {
        job.source.buffer().putLong(0, number);
        job.inject(() -> job.sender.sendImmediate(job.to, ID, job.source.buffer(), 0, Long.BYTES));
    }

    @Behaviour(number = 134, value = "One record for a context can be open at a time, and none is claimed in a batch.")
    void shouldLendOneRecordAtATime(ContractJob job) {
        final List<Long> received = ContractJob.noting(job.receiver, ID);
        final List<Long> others = ContractJob.noting(job.receiving().context(1), ID);
        final Message to = new Message().to(job.to, ID);
        final Loan first = job.sender.loan();
        final Loan second = job.sender.loan();
        job.inject(() -> first.claim(to, 8));
        first.buffer().putLong(0, 1);
        assertThatThrownBy(() -> second.claim(to, 8))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("the loan of 8 bytes")
                .hasMessageContaining("one record of a lane at a time: publish or abandon it before the next claim");
        assertThat(second.isOpen()).isFalse();
        job.inject(() -> second.claim(new Message().to(job.to, 1, ID), 8));
        second.buffer().putLong(0, 2);
        requireOutsideBatch(() -> job.sender.batch(1, first::publish));
        job.inject(first::publish);
        job.inject(() -> first.claim(to, 8));
        first.abandon();
        requireOutsideBatch(() -> job.sender.batch(1, () -> first.claim(to, 8)));
        job.inject(() -> first.claim(to, 8));
        first.buffer().putLong(0, 3);
        job.inject(first::publish);
        job.inject(second::publish);
        job.settle();
        assertThat(received).containsExactly(1L, 3L);
        assertThat(others).containsExactly(2L);
    }

    private static void requireOutsideBatch(Runnable call) {
        assertThatThrownBy(call::run)
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("claim and publish it outside Context.batch");
    }

    @Behaviour(number = 135, value = "A published record counts as a message: one descriptor, one record, its bytes.")
    void shouldCountRecordsAsMessages(ContractJob job) {
        ContractJob.noting(job.receiver, ID);
        final NodeMetrics metrics = job.engines.metrics(job.from);
        final long before = metrics.get(Metric.DESCRIPTORS);
        final Loan loan = job.sender.loan();
        for (int i = 0; i < 3; i++) {
            job.inject(() -> loan.claim(new Message().to(job.to, ID), 20));
            final long position = loan.publish();
            job.settle();
            assertThat(job.sender.isCarriedOut(position)).isTrue();
        }
        assertThat(metrics.get(Metric.DESCRIPTORS)).isEqualTo(before + 3);
        assertThat(metrics.get(Metric.RECORDS)).isEqualTo(3);
        assertThat(metrics.get(Metric.BYTES)).isEqualTo(60);
    }
}
