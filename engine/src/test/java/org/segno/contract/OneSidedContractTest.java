package org.segno.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.segno.contract.ContractJob.BYTES;
import static org.segno.contract.ContractJob.RANKS;

import java.util.ArrayList;
import java.util.List;
import org.segno.combine.ElementType;
import org.segno.combine.Operator;
import org.segno.context.Context;
import org.segno.context.InjectionFifo;
import org.segno.context.PreparedPut;
import org.segno.memory.InjectionCounter;
import org.segno.memory.ReceptionCounter;
import org.segno.memory.Right;
import org.segno.memory.Target;
import org.segno.memory.Window;
import org.segno.multisend.Blocks;
import org.segno.multisend.Vectored;
import org.segno.operation.Combine;
import org.segno.operation.Message;
import org.segno.operation.Rmw;
import org.segno.status.Refusal;

/** Contract of PUT, GET, RMW, COUNT, COPY and COMBINE. */
class OneSidedContractTest {
    private static final int CANARY = 0x3C;

    @Behaviour(number = 1, value = "A PUT of every short length lands in its range and nowhere else.")
    void shouldPutEveryShortLength(ContractJob job) {
        for (int length = 0; length <= 80; length++) {
            job.target.buffer().setMemory(0, BYTES, (byte) CANARY);
            job.counter.expect(length);
            job.done.expect(length);
            job.sender.put(job.in, 40 + length % 9, job.source, length % 7, length, job.done);
            job.settle();

            assertThat(job.counter.valueAcquire()).isZero();
            assertThat(job.done.valueAcquire()).isZero();
            ContractJob.requireCopied(job.target, 40 + length % 9, length % 7, length);
            ContractJob.requireAll(job.target, 0, 40 + length % 9, CANARY);
            ContractJob.requireAll(job.target, 40 + length % 9 + length, 300, CANARY);
        }
    }

    @Behaviour(number = 2, value = "A PUT of many quanta lands whole, and the PUT behind it lands after it.")
    void shouldPutSeveralQuantaInOrder(ContractJob job) {
        final InjectionFifo fifo = job.sender.injectionFifo();
        fifo.quantum(700, 8);
        fifo.put(job.in, 8, job.source, 8, BYTES - 8);
        fifo.put(job.in, BYTES - 8, job.source, 0, 8);
        job.settle();

        ContractJob.requireCopied(job.target, 8, 8, BYTES - 16);
        ContractJob.requireCopied(job.target, BYTES - 8, 0, 8);
        assertThat(job.counter.valueAcquire()).isEqualTo(-BYTES);
    }

    @Behaviour(number = 3, value = "A PUT that is not wholly inside its target is refused before its first byte.")
    void shouldRefuseAPutBeforeItsFirstByte(ContractJob job) {
        final ReceptionCounter narrow = job.inbox(0, 64);
        final Target wide = new Target(job.to, narrow.id(), narrow.incarnation(), BYTES, false);
        job.requireRefused(
                Refusal.TARGET_OUT_OF_BOUNDS.reason(), () -> job.sender.put(wide, 0, job.source, 0, 5000, job.done));
        job.requireRefused(
                Refusal.TARGET_OUT_OF_BOUNDS.reason(), () -> job.sender.put(wide, 57, job.source, 0, 8, job.done));
        assertThat(narrow.valueAcquire()).isZero();
        ContractJob.requireAll(job.target, 0, BYTES, 0);
        job.sender.put(job.in, 0, job.source, 0, 8);
        job.settle();
        assertThat(job.counter.valueAcquire()).isEqualTo(-8);
    }

    @Behaviour(number = 4, value = "PUTs of zero bytes, to the own rank and to several counters in turn all count.")
    void shouldPutNothingToItselfAndToSeveralCounters(ContractJob job) {
        final ReceptionCounter second = job.inbox(1024, 64);
        final ReceptionCounter own = job.sending().receptionCounter(job.source, 4096, 64);
        final Target toSecond = ContractJob.target(job.to, second);
        final Target self = ContractJob.target(job.from, own);
        for (int i = 0; i < 8; i++) {
            job.sender.put(job.in, i * 8L, job.source, i * 8L, 8);
            job.sender.put(toSecond, i * 8L, job.source, 64 + i * 8L, 8);
            job.sender.put(self, i * 8L, job.source, i * 8L, 8);
            job.sender.put(job.in, i, job.source, 0, 0);
        }
        job.settle();

        assertThat(job.counter.valueAcquire()).isEqualTo(-64);
        assertThat(second.valueAcquire()).isEqualTo(-64);
        assertThat(own.valueAcquire()).isEqualTo(-64);
        ContractJob.requireCopied(job.target, 0, 0, 64);
        ContractJob.requireCopied(job.target, 1024, 64, 64);
        ContractJob.requireCopied(job.source, 4096, 0, 64);
    }

    @Behaviour(number = 5, value = "A GET of every short length fills its destination and nothing beside it.")
    void shouldGetEveryShortLength(ContractJob job) {
        final Window into = job.receiving().window(512);
        final Target theirs = exported(job);
        final InjectionCounter read = job.receiving().injectionCounter();
        for (int length = 0; length <= 80; length++) {
            into.buffer().setMemory(0, 512, (byte) CANARY);
            read.expect(length);
            job.receiver.get(theirs, length % 7, into, 40 + length % 9, length, read);
            job.settle();

            assertThat(read.valueAcquire()).isZero();
            ContractJob.requireCopied(into, 40 + length % 9, length % 7, length);
            ContractJob.requireAll(into, 0, 40 + length % 9, CANARY);
            ContractJob.requireAll(into, 40 + length % 9 + length, 512, CANARY);
        }
    }

    /** Returns the target of the sender's whole window, with all rights. */
    private static Target exported(ContractJob job) {
        return ContractJob.target(
                job.from,
                job.sending()
                        .receptionCounter(
                                job.source, 0, BYTES, ReceptionCounter.ANYBODY, Right.GET, Right.PUT, Right.ATOMIC));
    }

    @Behaviour(number = 6, value = "A GET of many quanta completes once, when all of its bytes are there.")
    void shouldGetManyQuanta(ContractJob job) {
        final InjectionFifo fifo = job.receiver.injectionFifo();
        fifo.quantum(700, 8);
        final InjectionCounter read = job.receiving().injectionCounter();
        read.expect(BYTES);
        fifo.get(exported(job), 0, job.target, 0, BYTES, read);
        for (int turn = 0; turn < 1000 && read.valueAcquire() > 0; turn++) {
            job.context(turn % RANKS).advance();
        }
        assertThat(read.valueAcquire()).isZero();
        ContractJob.requireCopied(job.target, 0, 0, BYTES);
    }

    @Behaviour(number = 7, value = "A GET into a counter that admits only its owner counts it down and raises its hit.")
    void shouldGetIntoACounterOfTheOwner(ContractJob job) {
        final ReceptionCounter into = job.receiving().receptionCounter(job.target, 64, 128, job.to);
        final InjectionCounter read = job.receiving().injectionCounter();
        final List<Integer> hits = new ArrayList<>();
        job.receiver.onHit(into, hits::add);
        into.expect(100);
        read.expect(100);
        job.receiver.get(exported(job), 16, into, 8, 100, read);
        job.settle();

        assertThat(into.valueAcquire()).isZero();
        assertThat(read.valueAcquire()).isZero();
        assertThat(hits).containsExactly(into.id());
        ContractJob.requireCopied(job.target, 72, 16, 100);
    }

    @Behaviour(number = 8, value = "A GET before a PUT to the same bytes in one FIFO reads the old bytes.")
    void shouldReadBeforeALaterPutOfTheFifo(ContractJob job) {
        job.target.buffer().putLong(0, 1);
        job.source.buffer().putLong(0, 2);
        job.sender.get(job.in, 0, job.source, 64, 8, job.done);
        job.sender.put(job.in, 0, job.source, 0, 8);
        job.settle();

        assertThat(job.target.buffer().getLong(0)).isEqualTo(2);
        assertThat(job.source.buffer().getLong(64)).as("read").isEqualTo(1);
    }

    @Behaviour(number = 9, value = "COPY, PUT and SEND behind a GET in one FIFO take the bytes that it has fetched.")
    void shouldUseFetchedBytesBehindAGet(ContractJob job) {
        job.target.buffer().putLong(0, 77);
        final List<Long> received = ContractJob.noting(job.receiver, 5);
        job.sender.get(job.in, 0, job.source, 64, 8, job.done);
        job.sender.copy(job.source, 64, job.source, 128, 8);
        job.sender.put(job.in, 256, job.source, 64, 8);
        job.sender.send(new Message().to(job.to, 5).payload(job.source, 64, 8));
        job.settle();

        assertThat(job.source.buffer().getLong(128)).as("copied").isEqualTo(77);
        assertThat(job.target.buffer().getLong(256)).as("put").isEqualTo(77);
        assertThat(received).as("sent").containsExactly(77L);
    }

    @Behaviour(number = 151, value = "COMBINE in one FIFO takes the bytes of the GET before it, and a PUT its result.")
    void shouldCombineFetchedBytesBehindAGet(ContractJob job) {
        job.target.buffer().putDouble(0, 77);
        job.source.buffer().putDouble(128, 0.5);
        job.done.expect(16);
        job.sender.get(job.in, 0, job.source, 64, 8, job.done);
        job.sender.combine(
                job.source,
                64,
                job.source,
                128,
                8,
                Combine.of(ElementType.DOUBLE, Operator.SUM).completes(job.done));
        job.sender.put(job.in, 256, job.source, 128, 8);
        job.settle();

        assertThat(job.target.buffer().getDouble(256)).isEqualTo(77.5);
        assertThat(job.done.valueAcquire()).isZero();
    }

    @Behaviour(number = 10, value = "Each RMW function changes the word and returns its old value, or no value.")
    void shouldChangeAWordByEachFunction(ContractJob job) {
        job.target.buffer().putLong(8, 1000);
        final Rmw change = new Rmw().result(job.source, 64).completes(job.done);
        assertThat(changed(job, change.fetchAdd(500))).isEqualTo(1000);
        assertThat(changed(job, change.compareAndSet(1500, 7))).isEqualTo(1500);
        assertThat(changed(job, change.compareAndSet(1500, 8))).isEqualTo(7);
        assertThat(changed(job, change.swap(0xF0))).isEqualTo(7);
        assertThat(changed(job, change.or(0x0F))).isEqualTo(0xF0);
        assertThat(changed(job, change.and(0x3C))).isEqualTo(0xFF);
        assertThat(changed(job, change.xor(-1))).isEqualTo(0x3C);
        job.source.buffer().putLong(64, CANARY);
        job.done.expect(Rmw.LENGTH);
        job.sender.rmw(job.in, 8, new Rmw().fetchAdd(1).completes(job.done));
        job.settle();

        assertThat(job.source.buffer().getLong(64)).as("no result").isEqualTo(CANARY);
        assertThat(job.target.buffer().getLong(8)).isEqualTo(~0x3CL + 1);
        assertThat(job.counter.valueAcquire()).as("not counted").isZero();
    }

    private static long changed(ContractJob job, Rmw change) {
        job.done.expect(Rmw.LENGTH);
        job.sender.rmw(job.in, 8, change);
        job.settle();
        assertThat(job.done.valueAcquire()).isZero();
        return job.source.buffer().getLong(64);
    }

    @Behaviour(number = 11, value = "RMWs of one word by all ranks lose no change.", all = true)
    void shouldLoseNoChangeOfAWord(ContractJob job) {
        final int adds = 100;
        final int[] returned = new int[RANKS * adds];
        final List<Window> old = new ArrayList<>();
        for (int rank = 0; rank < RANKS; rank++) {
            old.add(job.client(rank).window(8L * adds));
        }
        for (int i = 0; i < adds; i++) {
            for (int rank = 0; rank < RANKS; rank++) {
                final Context context = job.context(rank);
                final Rmw add = new Rmw().fetchAdd(1).result(old.get(rank), 8L * i);
                job.inject(() -> context.rmw(job.in, 0, add));
            }
        }
        job.settle();

        assertThat(job.target.buffer().getLong(0)).isEqualTo((long) RANKS * adds);
        for (final Window of : old) {
            for (int i = 0; i < adds; i++) {
                returned[(int) of.buffer().getLong(8 * i)]++;
            }
        }
        assertThat(returned).containsOnly(1);
    }

    @Behaviour(number = 12, value = "PUT, RMW, GET and PUT of one word in one FIFO take effect in this order.")
    void shouldKeepTheOrderOfPutRmwAndGet(ContractJob job) {
        job.source.buffer().putLong(0, 10);
        job.source.buffer().putLong(8, 20);
        job.sender.put(job.in, 0, job.source, 0, 8);
        job.sender.rmw(job.in, 0, new Rmw().fetchAdd(5).result(job.source, 64));
        job.sender.get(job.in, 0, job.source, 72, 8, job.done);
        job.sender.put(job.in, 0, job.source, 8, 8);
        job.settle();

        assertThat(job.source.buffer().getLong(64)).isEqualTo(10);
        assertThat(job.source.buffer().getLong(72)).isEqualTo(15);
        assertThat(job.target.buffer().getLong(0)).isEqualTo(20);
    }

    @Behaviour(number = 13, value = "COUNT adds signed amounts, in order with the PUTs of its FIFO.")
    void shouldCountSignedAmounts(ContractJob job) {
        job.sender.count(job.in, 5);
        job.sender.put(job.in, 0, job.source, 0, 3);
        job.sender.count(job.in, -2);
        job.sender.count(job.in, Long.MAX_VALUE);
        job.sender.count(job.in, -Long.MAX_VALUE);
        job.settle();
        assertThat(job.counter.valueAcquire()).isZero();
    }

    @Behaviour(number = 20, value = "COPY between linked operations of one FIFO keeps its place in their order.")
    void shouldCopyBetweenOtherOperations(ContractJob job) {
        for (int i = 0; i < 10; i++) {
            job.sender.put(job.in, i * 16L, job.source, 1024, 8);
            job.sender.copy(job.source, i * 8L, job.source, 1024, 8);
            job.sender.put(job.in, i * 16L + 8, job.source, 1024, 8);
        }
        job.settle();
        for (int i = 0; i < 10; i++) {
            ContractJob.requireCopied(job.target, i * 16, i == 0 ? 1024 : (i - 1) * 8, 8);
            ContractJob.requireCopied(job.target, i * 16 + 8, i * 8, 8);
        }
    }

    @Behaviour(number = 21, value = "A vectored PUT and a vectored GET move strided blocks, every byte once.")
    void shouldMoveStridedBlocks(ContractJob job) {
        final Vectored vectored = new Vectored(job.sender);
        job.done.expect(320);
        vectored.put(job.in, Blocks.contiguous(0, 160), job.source, Blocks.strided(0, 8, 24, 20), job.done);
        vectored.get(job.in, Blocks.contiguous(0, 160), job.source, Blocks.strided(8192, 8, 16, 20), job.done);
        job.settle();
        for (int i = 0; i < 20; i++) {
            ContractJob.requireCopied(job.target, i * 8, i * 24, 8);
            assertThat(job.source.buffer().getLong(8192 + i * 16))
                    .isEqualTo(job.target.buffer().getLong(i * 8));
        }
        assertThat(job.done.valueAcquire()).isZero();
        assertThat(job.counter.valueAcquire()).isEqualTo(-160);
    }

    @Behaviour(number = 22, value = "A PUT that is split over FIFOs lands once.")
    void shouldLandASplitPutOnce(ContractJob job) {
        final InjectionFifo other = job.sender.injectionFifo();
        job.sender.split(4097, other);
        job.counter.expect(BYTES);
        job.done.expect(BYTES);
        job.sender.put(job.in, 0, job.source, 0, BYTES, job.done);
        job.settle();

        ContractJob.requireCopied(job.target, 0, 0, BYTES);
        assertThat(job.counter.valueAcquire()).isZero();
        assertThat(job.done.valueAcquire()).isZero();
        assertThat(other.descriptors()).isEqualTo(1);
    }

    @Behaviour(number = 23, value = "Prepared PUTs do what PUTs do.")
    void shouldPutWhatWasPrepared(ContractJob job) {
        final PreparedPut put = job.sender.preparePut(job.in, job.source, job.done);
        job.done.expect(50 * 24);
        for (int i = 0; i < 50; i++) {
            final int at = i;
            job.inject(() -> put.put(at * 64L, at * 24L, 24));
        }
        job.settle();
        for (int i = 0; i < 50; i++) {
            ContractJob.requireCopied(job.target, i * 64, i * 24, 24);
        }
        assertThat(job.done.valueAcquire()).isZero();
        assertThat(job.counter.valueAcquire()).isEqualTo(-50 * 24);
    }

    @Behaviour(
            number = 24,
            value = "Operations on a target that does not exist complete, between others, without effect.")
    void shouldSkipOperationsOnNoTarget(ContractJob job) {
        job.done.expect(24 + Rmw.LENGTH);
        job.sender.put(job.in, 0, job.source, 0, 8, job.done);
        job.sender.put(Target.nowhere(), 0, job.source, 0, 8, job.done);
        job.sender.get(Target.nowhere(), 0, job.source, 512, 8, job.done);
        job.sender.rmw(Target.nowhere(), 0, new Rmw().fetchAdd(1).completes(job.done));
        job.sender.count(Target.nowhere(), -1);
        job.settle();

        assertThat(job.done.valueAcquire()).isZero();
        assertThat(job.counter.valueAcquire()).isEqualTo(-8);
        ContractJob.requireCopied(job.source, 512, 512, 8);
    }

    @Behaviour(number = 101, value = "PUTs of several FIFOs to a slow peer all land.")
    void shouldPutFromSeveralFifosAtOnce(ContractJob job) {
        final InjectionFifo other = job.sender.injectionFifo();
        job.done.expect(80 * 4000L);
        for (int i = 0; i < 40; i++) {
            job.inject(() -> job.sender.put(job.in, 0, job.source, 0, 4000, job.done));
            job.inject(() -> other.put(job.in, 8000, job.source, 8000, 4000, job.done));
        }
        job.settle();
        ContractJob.requireCopied(job.target, 0, 0, 4000);
        ContractJob.requireCopied(job.target, 8000, 8000, 4000);
        assertThat(job.done.valueAcquire()).isZero();
        assertThat(job.counter.valueAcquire()).isEqualTo(-80 * 4000);
    }

    @Behaviour(number = 26, value = "A range or a message that is too long is refused at the call, by the same text.")
    void shouldRefuseAtTheCall(ContractJob job) {
        final Message message = new Message().to(job.to, 5).payload(job.source, 0, 8);
        final long longest = job.sender.longestFor(message);
        assertThat(longest).isEqualTo(2040);
        assertThat(job.sender.send(message.payload(job.source, 0, longest))).isNotNegative();
        assertThatThrownBy(() -> job.sender.send(message.payload(job.source, 0, longest + 1)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("a quarter of the target's lane of 8192 bytes");
        assertThatThrownBy(() -> job.sender.put(job.in, BYTES - 7, job.source, 0, 8))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("of reception counter " + job.counter.id())
                .hasMessageContaining("of rank " + job.to);
        assertThatThrownBy(() -> job.sender.send(new Message().to(job.to, 3, 5).payload(job.source, 0, 8)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("context=3");
    }
}
