package org.segno.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.segno.contract.ContractJob.BYTES;

import java.util.ArrayList;
import java.util.List;
import org.agrona.concurrent.UnsafeBuffer;
import org.segno.context.InjectionFifo;
import org.segno.engine.fifo.FifoMetadata;
import org.segno.geometry.Endpoint;
import org.segno.memory.CounterPair;
import org.segno.memory.ReceptionCounter;
import org.segno.memory.Right;
import org.segno.memory.Target;
import org.segno.memory.Window;
import org.segno.operation.Message;
import org.segno.operation.Notification;
import org.segno.operation.Rmw;
import org.segno.pattern.Pattern;
import org.segno.pattern.Rounds;
import org.segno.status.Refusal;
import org.segno.status.RefusedException;
import org.segno.status.Status;

/** Contract of notices, hits, injection counters, and settings of FIFOs and counters. */
class ModifiersContractTest {
    private static final int ID = 5;

    /** Empty records that a lane of 4096 bytes holds. */
    private static final int LANE_RECORDS = 255;

    private final UnsafeBuffer bytes = new UnsafeBuffer(new byte[32]);

    /** Notes the notices of the receiver with the value of the counter, and the last byte. */
    private static List<String> notices(ContractJob job) {
        final List<String> noted = new ArrayList<>();
        job.receiver.notified(
                ID,
                (origin, counter, offset, length) -> noted.add(Endpoint.task(origin) + " " + counter + " " + offset
                        + "+" + length + " value " + job.counter.valueAcquire() + " last "
                        + (length == 0 ? "-" : job.target.buffer().getByte((int) (offset + length) - 1))));
        return noted;
    }

    private static String notice(ContractJob job, int offset, int length, long value) {
        return job.from + " " + job.counter.id() + " " + offset + "+" + length + " value " + value + " last "
                + (length == 0 ? "-" : job.source.buffer().getByte(offset + length - 1));
    }

    @Behaviour(number = 27, value = "A notice follows the last byte and the count of its PUT, of every length.")
    void shouldNotifyAfterBytesAndCount(ContractJob job) {
        final List<String> notices = notices(job);
        for (final int length : new int[] {0, 1, 8, 488, 489, 5000}) {
            job.counter.expect(length);
            job.done.expect(length);
            job.sender.putNotifying(
                    job.in,
                    64,
                    job.source,
                    64,
                    length,
                    new Notification().at(ID).completes(job.done));
            job.settle();
            assertThat(notices).containsExactly(notice(job, 64, length, 0));
            assertThat(job.done.valueAcquire()).isZero();
            notices.clear();
        }
    }

    @Behaviour(number = 28, value = "No byte lands before its notice has room, and other FIFOs continue.")
    void shouldLandNothingBeforeItsNoticeHasRoom(ContractJob job) {
        final List<String> notices = notices(job);
        final List<Long> received = ContractJob.noting(job.receiver, ID + 1);
        final ReceptionCounter other = job.inbox(8192, 64);
        int sent = fillLane(job);
        // Of several engines, another one serves this FIFO.
        final InjectionFifo second = job.sender.injectionFifo();
        final InjectionFifo fifo = job.sender.injectionFifo();
        fifo.putNotifying(job.in, 0, job.source, 0, 8, new Notification().at(ID));
        second.put(ContractJob.target(job.to, other), 0, job.source, 0, 8);
        for (int turn = 0; turn < 100; turn++) {
            job.engines.pass(job.from);
            job.engines.pass(job.to);
        }
        assertThat(job.target.buffer().getLong(0)).isZero();
        assertThat(job.counter.valueAcquire()).isZero();
        assertThat(other.valueAcquire()).as("another FIFO").isEqualTo(-8);
        job.settle();
        assertThat(notices).containsExactly(notice(job, 0, 8, -8));
        assertThat(received).hasSize(sent);
    }

    /** Sends until the sender's FIFO stays full because the receiver does not read. */
    private int fillLane(ContractJob job) {
        int sent = 0;
        for (int turn = 0; turn < 500; turn++) {
            while (job.sender.sendImmediate(job.to, ID + 1, bytes, 0, 32) >= 0) {
                sent++;
            }
            job.engines.pass(job.from);
            job.engines.pass(job.to);
        }
        return sent;
    }

    @Behaviour(
            number = 29,
            value = "A notice is raised once for a long PUT and in each round, never for a refused PUT.")
    void shouldNotifyOnce(ContractJob job) {
        final List<String> notices = notices(job);
        final InjectionFifo fifo = job.sender.injectionFifo();
        fifo.quantum(1000, 10);
        fifo.putNotifying(job.in, 0, job.source, 0, BYTES, new Notification().at(ID));
        job.settle();
        assertThat(notices).containsExactly(notice(job, 0, BYTES, -BYTES));
        notices.clear();
        final CounterPair pair = job.receiving().counterPair(job.target, 0, 64, 8);
        final Target to = ContractJob.target(job.to, pair);
        final Pattern pattern = job.sender.record(
                1, Rounds.ALTERNATE, () -> job.sender.putNotifying(to, 0, job.source, 0, 8, new Notification().at(ID)));
        job.settle();
        for (long round = 2; round <= 5; round++) {
            assertThat(job.sender.replay(pattern)).isEqualTo(round);
            job.settle();
        }
        assertThat(notices).hasSize(5);
        final ReceptionCounter closed = job.receiving().receptionCounter(job.target, 0, 64, job.to);
        job.requireRefused(
                Refusal.SOURCE_NOT_ADMITTED.reason(),
                () -> job.sender.putNotifying(
                        ContractJob.target(job.to, closed),
                        0,
                        job.source,
                        0,
                        8,
                        new Notification().at(ID).completes(job.done)));
        assertThat(notices).hasSize(5);
    }

    @Behaviour(number = 30, value = "Alternate targets and sources follow the round, for 100 rounds.")
    void shouldAlternateTargetsAndSources(ContractJob job) {
        final CounterPair there = job.receiving().counterPair(job.target, 0, 64, 8);
        final CounterPair here = job.sending().counterPair(job.source, 512, 1024, 8);
        final Target to = ContractJob.target(job.to, there);
        final Pattern pattern = job.sender.prepare(Rounds.ALTERNATE, () -> job.sender.put(to, 0, here, 0, 8));
        for (long round = 1; round <= 100; round++) {
            job.source.buffer().putLong((int) here.offset(round), round);
            there.counter(round).expect(8);
            assertThat(job.sender.replay(pattern)).isEqualTo(round);
            job.settle();
            assertThat(job.target.buffer().getLong((int) there.offset(round))).isEqualTo(round);
            assertThat(there.counter(round).valueAcquire()).isZero();
        }
    }

    @Behaviour(number = 31, value = "An injection counter counts each byte once, wherever quantum and packet end.")
    void shouldCountEachByteOnce(ContractJob job) {
        final InjectionFifo fifo = job.sender.injectionFifo();
        for (final int quantum : new int[] {1, 7, 488, 512, 513, 2000}) {
            fifo.quantum(quantum, 3);
            job.settle();
            final int[] lengths = quantum == 1 ? new int[] {0, 1, 30} : new int[] {0, 1, 511, 512, 513, 4097};
            for (final int length : lengths) {
                job.done.expect(length);
                job.counter.expect(length);
                fifo.put(job.in, 0, job.source, 0, length, job.done);
            }
            job.settle();
            assertThat(job.done.valueAcquire()).isZero();
            assertThat(job.counter.valueAcquire()).isZero();
        }
    }

    @Behaviour(number = 32, value = "Each operation that completes an injection counter runs its hit handler once.")
    void shouldRunTheHandlerOfAnInjectionCounter(ContractJob job) {
        final List<Integer> hits = new ArrayList<>();
        job.sender.onHit(job.done, hits::add);
        job.receiver.handler(ID, (origin, buffer, metadata, metadataLength, payload, length) -> {});
        final List<Runnable> operations = List.of(
                () -> job.sender.put(job.in, 0, job.source, 0, 8, job.done),
                () -> job.sender.get(job.in, 0, job.source, 8, 8, job.done),
                () -> job.sender.rmw(
                        job.in, 0, new Rmw().fetchAdd(1).result(job.source, 16).completes(job.done)),
                () -> job.sender.send(
                        new Message().to(job.to, ID).payload(job.source, 0, 8).completes(job.done)));
        for (int i = 0; i < operations.size(); i++) {
            job.done.expect(8);
            operations.get(i).run();
            job.settle();
            assertThat(hits).hasSize(i + 1);
        }
    }

    @Behaviour(number = 33, value = "The last byte, a late expectation, a COUNT and each round raise one hit event.")
    void shouldRaiseHits(ContractJob job) {
        final List<Integer> hits = new ArrayList<>();
        job.receiver.onHit(job.counter, hits::add);
        job.counter.expect(100);
        job.sender.put(job.in, 0, job.source, 0, 60);
        job.settle();
        assertThat(hits).isEmpty();
        job.sender.put(job.in, 60, job.source, 0, 40);
        job.settle();
        assertThat(hits).as("the last byte").hasSize(1);
        job.sender.put(job.in, 0, job.source, 0, 60);
        job.settle();
        job.counter.expect(60);
        job.settle();
        assertThat(hits).as("a late expectation").hasSize(2);
        job.counter.expect(2);
        job.sender.count(job.in, -1);
        job.sender.count(job.in, -1);
        job.settle();
        assertThat(hits).as("a count").hasSize(3);
        final CounterPair pair = job.receiving().counterPair(job.target, 0, 32, 32);
        job.receiver.onHit(pair.counter(0), hits::add);
        job.receiver.onHit(pair.counter(1), hits::add);
        final Target to = ContractJob.target(job.to, pair);
        final Pattern pattern = job.sender.prepare(Rounds.ALTERNATE, () -> job.sender.put(to, 0, job.source, 0, 8));
        for (long round = 1; round <= 20; round++) {
            hits.clear();
            pair.counter(round).expect(8);
            assertThat(job.sender.replay(pattern)).isEqualTo(round);
            job.settle();
            assertThat(hits).containsExactly(pair.counter(round).id());
        }
    }

    @Behaviour(number = 34, value = "A hit event that has no room is raised later, and holds no PUT.")
    void shouldRaiseAnEventThatHadNoRoom(ContractJob job) {
        final List<Integer> hits = new ArrayList<>();
        job.receiver.onHit(job.counter, hits::add);
        job.counter.expect(8);
        final ReceptionCounter other = job.inbox(8192, 64);
        for (int i = 0; i < LANE_RECORDS; i++) {
            job.inject(() -> {
                final long position = job.sender.sendImmediate(job.to, 99, bytes, 0, 0);
                // The receiver acknowledges in the second pass what came over a link, and thus frees slots.
                for (final int rank : new int[] {job.from, job.to, job.to, job.from}) {
                    job.engines.pass(rank);
                }
                return position;
            });
        }
        job.sender.put(job.in, 0, job.source, 0, 8);
        job.sender.put(ContractJob.target(job.to, other), 0, job.source, 0, 8);
        for (int turn = 0; turn < 50; turn++) {
            job.engines.pass(job.from);
            job.engines.pass(job.to);
        }
        assertThat(job.counter.valueAcquire()).as("landed").isZero();
        assertThat(other.valueAcquire()).as("behind it").isEqualTo(-8);
        job.settle();
        assertThat(hits).containsExactly(job.counter.id());
    }

    @Behaviour(number = 35, value = "A change below zero of a counter that forbids it is reported to the waiter.")
    void shouldReportAnUnderflow(ContractJob job) {
        job.counter.forbidUnderflow();
        job.counter.expect(8);
        job.sender.put(job.in, 0, job.source, 0, 16);
        job.settle();
        assertThat(job.counter.errorAcquire()).isNotZero();
        assertThatThrownBy(() -> job.receiver.await(job.counter, job.deadline()))
                .isInstanceOf(RuntimeException.class)
                .hasMessageContaining("rank " + job.from);
    }

    @Behaviour(
            number = 36,
            value = "A FIFO reaches its peers over the links of its mask alone: memory, packets, both or none.")
    void shouldObeyTheLinkMask(ContractJob job) {
        final List<Long> received = ContractJob.noting(job.receiver, ID);
        final List<Long> own = ContractJob.noting(job.sender, ID);
        final ReceptionCounter inMemory =
                job.sending().receptionCounter(job.source, 0, ContractJob.BYTES, ReceptionCounter.ANYBODY, Right.PUT);
        final Target self = ContractJob.target(job.from, inMemory);
        final long[] endpoints = {job.sender.endpoint(), Endpoint.of(job.to, 0, 0, 0)};
        final Message message =
                new Message().to(0, ID).metadata(job.source, 0, 0).payload(job.source, 8, 8);
        final InjectionFifo fifo = job.sender.injectionFifo();
        final int[] masks = {
            FifoMetadata.ALL_LINKS, FifoMetadata.MEMORY_LINK, FifoMetadata.PACKET_LINKS, 0, FifoMetadata.ALL_LINKS
        };
        final int[] expected = {1, job.isLinked() ? 0 : 1, job.isLinked() ? 1 : 0, 0, 1};
        final int[] expectedSelf = {1, 1, 0, 0, 1};
        for (int i = 0; i < masks.length; i++) {
            fifo.linkMask(masks[i]);
            job.settle();
            received.clear();
            own.clear();
            final long before = job.counter.valueAcquire();
            final long beforeInMemory = inMemory.valueAcquire();
            final long refused = job.refusals(job.from, Refusal.LINK_MASKED);
            fifo.put(self, 0, job.source, 64, 8);
            fifo.put(job.in, 0, job.source, 0, 8);
            fifo.count(job.in, -1);
            fifo.sendImmediate(job.from, ID, bytes, 0, 8);
            fifo.sendImmediate(job.to, ID, bytes, 0, 8);
            fifo.multicast(message, endpoints, 0, 2);
            fifo.copy(job.source, 0, job.source, 128, 8);
            job.settle();
            assertThat(job.counter.valueAcquire() - before).isEqualTo(-9L * expected[i]);
            assertThat(inMemory.valueAcquire() - beforeInMemory).isEqualTo(-8L * expectedSelf[i]);
            assertThat(received).hasSize(2 * expected[i]);
            assertThat(own).hasSize(2 * expectedSelf[i]);
            assertThat(job.refusals(job.from, Refusal.LINK_MASKED) - refused)
                    .isEqualTo(3 * (1 - expectedSelf[i]) + 4 * (1 - expected[i]));
            assertThat(fifo.fill()).isZero();
        }
        fifo.linkMask(0);
        job.settle();
        job.done.expect(8);
        fifo.put(job.in, 0, job.source, 0, 8, job.done);
        job.settle();
        assertThatThrownBy(() -> job.sender.await(job.done, job.deadline()))
                .isInstanceOf(RefusedException.class)
                .hasMessageContaining(Refusal.LINK_MASKED.reason());
    }

    @Behaviour(number = 37, value = "FIFOs of every priority and quantum are served.")
    void shouldServeEveryPriority(ContractJob job) {
        final List<InjectionFifo> fifos = List.of(job.sender.injectionFifo(), job.sender.injectionFifo());
        fifos.get(0).priority(0);
        fifos.get(1).priority(1);
        fifos.get(0).quantum(64, 1);
        final Window window = job.receiving().window(64);
        final ReceptionCounter low = job.receiving().receptionCounter(window, 0, 32);
        final Target toLow = ContractJob.target(job.to, low);
        fifos.get(0).put(toLow, 0, job.source, 0, 32);
        for (int turn = 0; turn < 300; turn++) {
            while (fifos.get(1).put(job.in, 0, job.source, 0, 512) >= 0) {
                assertThat(turn).isNotNegative();
            }
            job.sender.advance();
            job.receiver.advance();
        }
        assertThat(low.valueAcquire()).isEqualTo(-32);
        job.settle();
    }

    @Behaviour(number = 38, value = "Thresholds of a FIFO run when its descriptors have been carried out.")
    void shouldRunThresholds(ContractJob job) {
        final List<String> events = new ArrayList<>();
        final InjectionFifo fifo = job.sender.injectionFifo();
        fifo.threshold(10, () -> events.add("ten"));
        for (int i = 0; i < 12; i++) {
            fifo.put(job.in, 0, job.source, 0, 8);
        }
        job.settle();
        assertThat(fifo.wasThresholdCrossed()).isTrue();
        assertThat(events).containsExactly("ten");
        fifo.freeThreshold(64, () -> events.add("empty"));
        job.settle();
        fifo.put(job.in, 0, job.source, 0, 8);
        job.settle();
        assertThat(events).containsExactly("ten", "empty");
    }

    @Behaviour(number = 39, value = "A deactivated FIFO keeps its descriptors, and continues when it is activated.")
    void shouldContinueWhenActivated(ContractJob job) {
        final InjectionFifo fifo = job.sender.injectionFifo();
        // An engine reads changed settings some passes later: the descriptors last longer, whatever a packet holds.
        final int puts = 40;
        fifo.quantum(1000, 1);
        job.settle();
        for (int i = 0; i < puts; i++) {
            fifo.put(job.in, 0, job.source, 0, BYTES);
        }
        job.engines.pass(job.from);
        fifo.deactivate();
        job.settle();
        final long landed = -job.counter.valueAcquire();
        assertThat(fifo.isActive()).isFalse();
        assertThat(landed).isLessThan((long) puts * BYTES);
        job.sender.put(job.in, 0, job.source, 0, 1);
        job.settle();
        assertThat(job.counter.valueAcquire()).as("other FIFOs").isEqualTo(-landed - 1);
        fifo.activate();
        job.settle();
        assertThat(job.counter.valueAcquire()).isEqualTo((long) -puts * BYTES - 1);
        ContractJob.requireCopied(job.target, 0, 0, BYTES);
    }

    @Behaviour(number = 40, value = "A counter with a set of ranks admits these ranks only.", all = true)
    void shouldAdmitTheRanksOfASet(ContractJob job) {
        final ReceptionCounter some = job.receiving().receptionCounter(job.target, 0, 8, new int[] {job.from, 3});
        final Target to = ContractJob.target(job.to, some);
        for (int rank = 0; rank < ContractJob.RANKS; rank++) {
            final Window from = job.client(rank).window(8);
            assertThat(job.context(rank).put(to, 0, from, 0, 8)).isNotEqualTo(Status.BACK_PRESSURED);
        }
        job.settle();
        assertThat(some.valueAcquire()).isEqualTo(-16);
    }
}
