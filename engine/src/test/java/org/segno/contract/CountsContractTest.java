package org.segno.contract;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.agrona.concurrent.UnsafeBuffer;
import org.segno.context.Loan;
import org.segno.engine.metrics.ErrorLog;
import org.segno.engine.metrics.Metric;
import org.segno.geometry.Endpoint;
import org.segno.memory.ReceptionCounter;
import org.segno.memory.Right;
import org.segno.memory.Target;
import org.segno.operation.Message;
import org.segno.operation.Notification;
import org.segno.operation.Rmw;
import org.segno.status.Refusal;

/** Contract of counts: what the metrics of a node count, whatever joins it to its peers. */
class CountsContractTest {
    private static final int ID = 5;
    private static final int NOTICE = 6;

    private final UnsafeBuffer bytes = new UnsafeBuffer(new byte[32]);

    private static long endpoint(ContractJob job, int context, int use) {
        return Endpoint.of(job.to, 0, context, context, use);
    }

    @Behaviour(number = 105, value = "A refused operation counts once, at the node that injected it.")
    void shouldCountARefusalOnceAtItsOrigin(ContractJob job) {
        ContractJob.noting(job.receiver, ID);
        final ReceptionCounter plain = job.inbox(0, 64);
        final Target in = ContractJob.target(job.to, plain);
        final Target stale = new Target(job.to, plain.id(), plain.incarnation() + 1, 64, false);
        final Target wide = new Target(job.to, plain.id(), plain.incarnation(), ContractJob.BYTES, false);
        final int logged = ErrorLog.count(job.engines.memory(job.to));
        for (int i = 0; i < 3; i++) {
            job.sender.put(stale, 8L * i, job.source, 8L * i, 8);
        }
        job.sender.count(stale, -1);
        job.sender.putNotifying(stale, 0, job.source, 0, 8, new Notification().at(ID));
        job.settle();
        // Of five successive ones, two lie outside the range.
        for (int i = 0; i < 5; i++) {
            job.sender.put(wide, i % 2 == 0 ? 8L * i : 100, job.source, 0, 8);
        }
        job.sender.put(wide, 0, job.source, 0, 5000);
        job.sender.get(in, 0, job.source, 0, 8, job.done);
        job.sender.rmw(in, 0, new Rmw().fetchAdd(1));
        job.settle();
        job.sender.send(new Message().to(endpoint(job, 0, 7), ID).payload(job.source, 0, 900));
        job.sender.multicast(
                new Message().to(job.to, ID).metadata(job.source, 0, 8).payload(job.source, 8, 24),
                new long[] {endpoint(job, 0, 7), endpoint(job, 0, 0), endpoint(job, 1, 9)},
                0,
                3);
        job.settle();

        assertThat(job.refusals(job.from, Refusal.STALE_COUNTER) + job.refusals(job.from, Refusal.COUNTER_DISABLED))
                .isEqualTo(5);
        assertThat(job.refusals(job.from, Refusal.TARGET_OUT_OF_BOUNDS)).isEqualTo(3);
        assertThat(job.refusals(job.from, Refusal.NOT_READABLE)).isEqualTo(1);
        assertThat(job.refusals(job.from, Refusal.NOT_ATOMIC)).isEqualTo(1);
        assertThat(job.refusals(job.from, Refusal.STALE_CONTEXT)).isEqualTo(3);
        for (final Refusal refusal : Refusal.values()) {
            assertThat(job.refusals(job.to, refusal)).as(refusal.name()).isZero();
        }
        assertThat(ErrorLog.count(job.engines.memory(job.to))).isEqualTo(logged);
        assertThat(plain.valueAcquire()).isEqualTo(-24);
    }

    @Behaviour(number = 106, value = "A forbidden underflow counts at the node whose message caused it.")
    void shouldCountAnUnderflowAtItsOrigin(ContractJob job) {
        final ReceptionCounter strict = job.inbox(0, 64);
        strict.forbidUnderflow();
        final Target in = ContractJob.target(job.to, strict);
        job.sender.put(in, 0, job.source, 0, 8, job.done);
        job.settle();
        job.sender.count(in, -1);
        job.settle();
        assertThat(strict.errorAcquire()).isNotZero();
        assertThat(job.done.errorAcquire()).as("the bytes have landed").isZero();
        assertThat(job.refusals(job.from, Refusal.UNDERFLOW)).isEqualTo(2);
        assertThat(job.refusals(job.to, Refusal.UNDERFLOW)).isZero();
    }

    @Behaviour(number = 107, value = "Bytes and records count at the node whose operations have landed them.")
    void shouldCountBytesAndRecordsAtTheirOrigin(ContractJob job) {
        final List<Long> received = ContractJob.noting(job.receiver, ID);
        ContractJob.noting(job.receiving().context(1), ID);
        job.receiver.notified(NOTICE, (from, counter, offset, length) -> received.add(length));
        final ReceptionCounter narrow =
                job.receiving().receptionCounter(job.target, 0, 8, ReceptionCounter.ANYBODY, Right.PUT);
        final Target wide = new Target(job.to, narrow.id(), narrow.incarnation(), ContractJob.BYTES, false);
        job.sender.put(job.in, 0, job.source, 0, 600);
        for (int i = 0; i < 3; i++) {
            job.sender.put(job.in, 8L * i, job.source, 0, 8);
        }
        job.sender.putNotifying(job.in, 0, job.source, 0, 16, new Notification().at(NOTICE));
        job.settle();
        requireCounts(job, 640, 1);

        bytes.putLong(0, 1);
        job.sender.sendImmediate(job.to, ID, bytes, 0, 8);
        job.sender.send(new Message().to(job.to, ID).metadata(bytes, 0, 4).payload(job.source, 0, 900));
        job.sender.send(new Message().to(job.to, ID).metadata(job.source, 0, 40).payload(job.source, 0, 0));
        job.sender.multicast(
                new Message().to(job.to, ID).metadata(job.source, 0, 8).payload(job.source, 8, 24),
                new long[] {endpoint(job, 0, 0), endpoint(job, 1, 0)},
                0,
                2);
        job.settle();
        requireCounts(job, 640 + 8 + 904 + 40 + 2 * 32, 6);

        job.sender.get(job.in, 0, job.source, 0, 700, job.done);
        job.sender.rmw(job.in, 0, new Rmw().fetchAdd(1));
        job.settle();
        requireCounts(job, 1656 + 700 + 8, 6);

        job.sender.put(wide, 8, job.source, 0, 8);
        job.sender.put(wide, 8, job.source, 0, 5000);
        job.sender.send(new Message().to(endpoint(job, 0, 7), ID).payload(job.source, 0, 900));
        job.settle();
        requireCounts(job, 2364, 6);

        final Loan loan = job.sender.loan(job.source, 0, 64);
        job.inject(() -> loan.claim(new Message().to(job.to, ID).metadata(bytes, 0, 4), 20));
        job.inject(loan::publish);
        job.settle();
        requireCounts(job, 2388, 7);
        assertThat(received).hasSize(6); // and one at the other context
    }

    @Behaviour(number = 127, value = "A hit counts once, at the node whose operation has caused it.")
    void shouldCountHitsAtTheirOrigin(ContractJob job) {
        ContractJob.noting(job.receiver, ID);
        job.receiver.notified(NOTICE, (from, counter, offset, length) -> {});
        final ReceptionCounter plain = job.inbox(0, 64);
        final Target in = ContractJob.target(job.to, plain);
        plain.expect(24);
        for (int i = 0; i < 3; i++) {
            job.sender.put(in, 8L * i, job.source, 0, 8);
        }
        job.settle();
        requireHits(job, 1);
        job.counter.expect(600);
        job.sender.put(job.in, 0, job.source, 0, 600);
        plain.expect(8);
        job.sender.putNotifying(in, 0, job.source, 0, 8, new Notification().at(NOTICE));
        job.settle();
        requireHits(job, 3);
        for (int i = 0; i < 40; i++) {
            plain.expect(1);
            job.sender.count(in, -1);
            job.settle();
        }
        requireHits(job, 43);
        plain.expect(8);
        job.sender.put(new Target(job.to, plain.id(), plain.incarnation() + 1, 64, false), 0, job.source, 0, 8);
        job.settle();
        requireHits(job, 43);
        assertThat(plain.valueAcquire()).isEqualTo(8);
    }

    @Behaviour(number = 137, value = "Messages and notices count when they are received, and events do not.")
    void shouldCountMessagesButNoEventsAsReceived(ContractJob job) {
        final List<Long> received = ContractJob.noting(job.receiver, ID);
        final List<Integer> hits = new ArrayList<>();
        final ReceptionCounter watched = job.inbox(0, 64);
        job.receiver.onHit(watched, hits::add);
        job.receiver.notified(NOTICE, (from, counter, offset, length) -> {});
        final Target in = ContractJob.target(job.to, watched);
        for (int i = 0; i < 3; i++) {
            watched.expect(8);
            job.sender.put(in, 0, job.source, 0, 8);
            job.sender.sendImmediate(job.to, ID, bytes, 0, 8);
            job.settle();
        }
        job.sender.putNotifying(job.in, 0, job.source, 0, 8, new Notification().at(NOTICE));
        job.settle();
        // The metric follows in a poll that finds nothing.
        job.receiver.advance();
        assertThat(hits).hasSize(3);
        assertThat(received).hasSize(3);
        assertThat(job.engines.metrics(job.to).get(Metric.RECEIVED)).isEqualTo(4);
    }

    private static void requireHits(ContractJob job, long hits) {
        assertThat(job.engines.metrics(job.from).get(Metric.HITS)).isEqualTo(hits);
        assertThat(job.engines.metrics(job.to).get(Metric.HITS)).isZero();
    }

    private static void requireCounts(ContractJob job, long landed, long records) {
        assertThat(job.engines.metrics(job.from).get(Metric.BYTES)).isEqualTo(landed);
        assertThat(job.engines.metrics(job.from).get(Metric.RECORDS)).isEqualTo(records);
        assertThat(job.engines.metrics(job.to).get(Metric.BYTES)).isZero();
        assertThat(job.engines.metrics(job.to).get(Metric.RECORDS)).isZero();
    }
}
