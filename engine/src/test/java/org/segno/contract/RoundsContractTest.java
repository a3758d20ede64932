package org.segno.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.List;
import org.segno.geometry.Endpoint;
import org.segno.memory.CounterPair;
import org.segno.memory.InjectionCounter;
import org.segno.memory.ReceptionCounter;
import org.segno.memory.Right;
import org.segno.memory.Target;
import org.segno.multisend.Multicast;
import org.segno.multisend.Request;
import org.segno.multisend.Requests;
import org.segno.operation.Message;
import org.segno.operation.Rmw;
import org.segno.pattern.Pattern;
import org.segno.pattern.Rounds;
import org.segno.status.Refusal;
import org.segno.status.Status;

/** Contract of persistent requests, multicast rounds, patterns that are replaced, batches, and further refusals. */
class RoundsContractTest {
    private static final int ID = 5;

    @Behaviour(
            number = 60,
            value = "Persistent requests and multicast rounds start again and arrive once each.",
            all = true)
    void shouldStartRequestsAgain(ContractJob job) {
        final List<Long> received = ContractJob.noting(job.receiver, ID);
        final List<Long> others = ContractJob.noting(job.context(3), ID);
        final Message message = new Message().to(job.to, ID).payload(job.source, 0, 8);
        final Multicast cast = new Multicast(
                        job.sending().context(1), ID, job.source, Endpoint.of(job.to, 0, 0, 0), Endpoint.of(3, 0, 0, 0))
                .payload(job.source, 8, 8);
        try (Requests requests = new Requests(job.sender)) {
            final Request send = requests.init(() -> job.sender.send(message));
            final Request put = requests.init(() -> job.sender.put(job.in, 0, job.source, 0, 16));
            for (int round = 1; round <= 20; round++) {
                job.source.buffer().putLong(0, round);
                job.source.buffer().putLong(8, -round);
                assertThat(requests.startAll()).isNotNegative();
                assertThat(cast.start()).isEqualTo(round);
                job.settle();
                assertThat(send.test() && put.test() && cast.isComplete()).isTrue();
                assertThat(received).hasSize(2 * round).contains((long) round, (long) -round);
                assertThat(others).hasSize(round).endsWith((long) -round);
                assertThat(job.counter.valueAcquire()).isEqualTo(-16L * round);
            }
        }
    }

    @Behaviour(number = 62, value = "A pattern that is recorded again or closed with a round in flight finishes it.")
    void shouldFinishRoundsOfAPatternThatIsReplaced(ContractJob job) {
        final CounterPair there = job.receiving().counterPair(job.target, 0, 64, 64);
        final Target to = ContractJob.target(job.to, there);
        final Pattern first = job.sender.record(7, Rounds.ALTERNATE, () -> job.sender.put(to, 0, job.source, 0, 8));
        job.settle();
        final Pattern second = job.sender.record(7, Rounds.ALTERNATE, () -> {
            job.sender.put(to, 0, job.source, 0, 8);
            job.sender.put(to, 8, job.source, 8, 8);
        });
        assertThat(second.generation()).isEqualTo(2);
        assertThatThrownBy(() -> job.sender.replay(first)).hasMessageContaining("was replaced");
        job.settle();
        assertThat(job.sender.replay(second)).isEqualTo(3);
        second.close();
        job.settle();
        assertThat(there.counter(1).valueAcquire()).isEqualTo(-8 - 16);
        assertThat(there.counter(0).valueAcquire()).isEqualTo(-16);
        ContractJob.requireCopied(job.target, 0, 0, 16);
    }

    @Behaviour(
            number = 97,
            value = "Each refusal names its reason and its rank, and the next operation is carried out.")
    void shouldNameTheReasonOfEachRefusal(ContractJob job) {
        final ReceptionCounter inbox = job.inbox(0, 64);
        final Target closed = ContractJob.target(job.to, inbox);
        final Target missing = new Target(job.to, 99, 1, 64, false);
        final ReceptionCounter readable =
                job.receiving().receptionCounter(job.target, 0, 64, ReceptionCounter.ANYBODY, Right.GET);
        job.requireRefused(Refusal.NOT_READABLE.reason(), () -> job.sender.get(closed, 0, job.source, 64, 8, job.done));
        job.requireRefused(Refusal.NOT_ATOMIC.reason(), () -> job.sender.rmw(closed, 0, new Rmw().completes(job.done)));
        job.requireRefused(Refusal.MISALIGNED.reason(), () -> job.sender.rmw(job.in, 4, new Rmw().completes(job.done)));
        job.requireRefused(
                Refusal.NO_SUCH_COUNTER.reason(), () -> job.sender.put(missing, 0, job.source, 0, 8, job.done));
        job.requireRefused(
                Refusal.NOT_WRITABLE.reason(),
                () -> job.sender.put(ContractJob.target(job.to, readable), 0, job.source, 0, 8, job.done));
        assertThat(inbox.valueAcquire()).isZero();
        ContractJob.requireAll(job.target, 0, 64, 0);
        job.done.expect(8);
        job.sender.put(job.in, 0, job.source, 0, 8, job.done);
        job.settle();
        assertThat(job.done.valueAcquire()).isZero();
        assertThat(job.counter.valueAcquire()).isEqualTo(-8);
    }

    @Behaviour(number = 98, value = "A batch is carried out whole and in order, or refused whole for want of room.")
    void shouldCarryOutABatch(ContractJob job) {
        final List<Long> received = ContractJob.noting(job.receiver, ID);
        for (int round = 0; round < 10; round++) {
            job.inject(() -> job.sender.batch(20, () -> {
                for (int i = 0; i < 19; i++) {
                    job.sender.put(job.in, i * 8L, job.source, i * 8L, 8);
                }
                job.sender.sendImmediate(job.to, ID, job.source.buffer(), 0, 8);
            }));
        }
        job.settle();
        assertThat(received).hasSize(10);
        assertThat(job.counter.valueAcquire()).isEqualTo(-10 * 19 * 8);
        ContractJob.requireCopied(job.target, 0, 0, 19 * 8);
        while (job.sender.count(job.in, 0) >= 0) {
            assertThat(job.sender.isDrained()).isFalse();
        }
        assertThat(job.sender.batch(2, () -> job.sender.count(job.in, 1))).isEqualTo(Status.BACK_PRESSURED);
        job.settle();
        assertThat(job.counter.valueAcquire()).isEqualTo(-10 * 19 * 8);
    }

    @Behaviour(number = 99, value = "A round whose GET and RMW complete counters has their results in each round.")
    void shouldReplayGetAndRmw(ContractJob job) {
        final InjectionCounter read = job.sending().injectionCounter();
        final Rmw add = new Rmw().fetchAdd(1).result(job.source, 64).completes(read);
        final Pattern pattern = job.sender.prepare(Rounds.ORDERED_BY_CALLER, () -> {
            job.sender.expect(read, Rmw.LENGTH + 500);
            job.sender.rmw(job.in, 8192, add);
            job.sender.get(job.in, 0, job.source, 1024, 500, read);
        });
        for (int round = 1; round <= 20; round++) {
            job.target.buffer().setMemory(0, 500, (byte) round);
            assertThat(job.sender.replay(pattern)).isEqualTo(round);
            job.settle();
            assertThat(pattern.isComplete()).isTrue();
            assertThat(read.valueAcquire()).isZero();
            assertThat(job.source.buffer().getLong(64)).isEqualTo(round - 1);
            ContractJob.requireAll(job.source, 1024, 1524, round);
        }
    }

    @Behaviour(number = 100, value = "More GETs and RMWs than a rank serves at a time all complete, each once.")
    void shouldServeManyRequests(ContractJob job) {
        final List<Integer> hits = new ArrayList<>();
        job.sender.onHit(job.done, hits::add);
        job.target.buffer().putLong(8192, 0);
        job.done.expect(300 * 40 + 300 * Rmw.LENGTH);
        for (int i = 0; i < 300; i++) {
            final int at = i;
            job.target.buffer().putLong(i * 8, i);
            while (job.sender.get(job.in, at % 100 * 40L, job.source, at % 100 * 40L, 40, job.done) < 0) {
                job.sender.advance();
                job.receiver.advance();
            }
            while (job.sender.rmw(job.in, 8192, new Rmw().fetchAdd(1).completes(job.done)) < 0) {
                job.sender.advance();
                job.receiver.advance();
            }
        }
        job.settle();
        assertThat(job.done.valueAcquire()).isZero();
        assertThat(hits).hasSize(1);
        assertThat(job.target.buffer().getLong(8192)).isEqualTo(300);
    }
}
