package org.segno.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.agrona.concurrent.UnsafeBuffer;
import org.segno.context.Context;
import org.segno.context.InjectionFifo;
import org.segno.context.Loan;
import org.segno.engine.metrics.ErrorLog;
import org.segno.geometry.Endpoint;
import org.segno.memory.InjectionCounter;
import org.segno.memory.ReceptionCounter;
import org.segno.memory.Right;
import org.segno.memory.Target;
import org.segno.memory.Window;
import org.segno.operation.Message;
import org.segno.operation.Rmw;
import org.segno.pattern.Pattern;
import org.segno.pattern.Rounds;
import org.segno.status.Refusal;
import org.segno.status.Status;

/** Contract of SEND and MULTICAST, and of what handlers do. */
class MessagesContractTest {
    private static final int ID = 5;
    private static final int REQUEST = 6;
    private static final int REPLY = 7;

    private final UnsafeBuffer bytes = new UnsafeBuffer(new byte[32]);

    @Behaviour(number = 14, value = "A SEND of every length arrives once, whole and in order, to both contexts.")
    void shouldSendEveryLengthInOrder(ContractJob job) {
        final List<String> expected = new ArrayList<>();
        final List<String> received = new ArrayList<>();
        for (int context = 0; context < 2; context++) {
            final int at = context;
            job.receiving()
                    .context(context)
                    .handler(ID, (origin, buffer, metadata, metadataLength, payload, length) -> {
                        final byte[] copy = new byte[length];
                        buffer.getBytes(payload, copy);
                        for (int i = 0; i < length; i++) {
                            assertThat(copy[i]).isEqualTo(job.source.buffer().getByte(metadataLength + i));
                        }
                        received.add(at + " " + metadataLength + " " + length);
                    });
        }
        final Random chance = new Random(1);
        for (int length = 0; length <= 1000; length += 1 + chance.nextInt(9)) {
            final int metadata = Math.min(1016 - length, chance.nextInt(16));
            final Message message = new Message()
                    .to(job.to, length % 2, ID)
                    .metadata(job.source, 0, metadata)
                    .payload(job.source, metadata, length);
            expected.add(length % 2 + " " + metadata + " " + length);
            job.inject(() -> job.sender.send(message));
            if (length % 5 == 0) {
                job.settle();
            }
        }
        job.settle();

        assertThat(received).containsExactlyInAnyOrderElementsOf(expected);
        for (final String context : List.of("0", "1")) {
            assertThat(received)
                    .filteredOn(text -> text.startsWith(context))
                    .containsExactlyElementsOf(expected.stream()
                            .filter(text -> text.startsWith(context))
                            .toList());
        }
    }

    @Behaviour(number = 15, value = "An immediate SEND carries every length by value from every offset.")
    void shouldSendImmediately(ContractJob job) {
        final List<String> received = new ArrayList<>();
        job.receiver.handler(
                ID,
                (origin, buffer, metadata, metadataLength, payload, length) ->
                        received.add(length + " " + (length == 0 ? 0 : buffer.getByte(payload + length - 1))));
        final List<String> expected = new ArrayList<>();
        for (int offset = 0; offset <= 32; offset++) {
            for (int i = 0; i < 32; i++) {
                bytes.putByte(i, (byte) (offset + i));
            }
            final int from = offset;
            job.inject(() -> job.sender.sendImmediate(job.to, ID, bytes, from, 32 - from));
            expected.add((32 - offset) + " " + (offset == 32 ? 0 : offset + 31));
        }
        bytes.setMemory(0, 32, (byte) 0);
        job.settle();
        assertThat(received).isEqualTo(expected);
    }

    @Behaviour(number = 16, value = "A SEND takes metadata and payload from ranges of counters.")
    void shouldSendFromRangesOfCounters(ContractJob job) {
        final ReceptionCounter range = job.sending().receptionCounter(job.source, 1024, 256);
        final List<String> received = listening(job, job.to);
        job.sender.send(new Message().to(job.to, ID).metadata(range, 8, 16).payload(range, 64, 8));
        job.settle();
        assertThat(received)
                .containsExactly(job.to + " from " + job.from + ": "
                        + job.source.buffer().getLong(1032) + " "
                        + job.source.buffer().getLong(1088));
    }

    /** Notes the first words of the metadata and of the payload of each message. */
    private static List<String> listening(ContractJob job, int... ranks) {
        final List<String> received = new ArrayList<>();
        for (final int rank : ranks) {
            job.context(rank)
                    .handler(
                            ID,
                            (origin, buffer, metadata, metadataLength, payload, length) ->
                                    received.add(rank + " from " + Endpoint.task(origin) + ": "
                                            + (metadataLength < 8 ? "-" : buffer.getLong(metadata)) + " "
                                            + (length < 8 ? "-" : buffer.getLong(payload))));
        }
        return received;
    }

    @Behaviour(number = 17, value = "A replayed SEND re-reads its metadata and its payload from their windows.")
    void shouldReadMetadataAgain(ContractJob job) {
        final List<String> received = listening(job, job.to);
        final Message message =
                new Message().to(job.to, ID).metadata(job.source, 0, 128).payload(job.source, 128, 700);
        job.source.buffer().putLong(0, 1);
        job.source.buffer().putLong(128, 2);
        final Pattern pattern = job.sender.record(1, Rounds.ORDERED_BY_CALLER, () -> job.sender.send(message));
        job.settle();
        job.source.buffer().putLong(0, 3);
        job.source.buffer().putLong(128, 4);
        job.sender.replay(pattern);
        job.settle();
        final String who = job.to + " from " + job.from + ": ";
        assertThat(received).containsExactly(who + "1 2", who + "3 4");
    }

    @Behaviour(number = 18, value = "A MULTICAST reaches all ranks, each once, whole and in order.", all = true)
    void shouldMulticastToAllRanks(ContractJob job) {
        final List<String> received = listening(job, 0, 1, 2, 3);
        final long[] endpoints = {
            Endpoint.of(0, 0, 0, 0), Endpoint.of(1, 0, 0, 0), Endpoint.of(2, 0, 0, 0), Endpoint.of(3, 0, 0, 0)
        };
        for (int i = 0; i < 20; i++) {
            job.source.buffer().putLong(0, i);
            final Message message = new Message()
                    .to(0, ID)
                    .metadata(job.source, 0, 24)
                    .payload(job.source, 512, 800)
                    .completes(job.done);
            job.done.expect(4 * 800);
            job.inject(() -> job.sender.multicast(message, endpoints, 0, 4));
            job.settle();
        }
        assertThat(received).hasSize(80);
        for (int rank = 0; rank < 4; rank++) {
            final String who = rank + " from " + job.from + ": ";
            final List<String> ofRank =
                    received.stream().filter(text -> text.startsWith(who)).toList();
            assertThat(ofRank).hasSize(20);
            for (int i = 0; i < 20; i++) {
                assertThat(ofRank.get(i)).startsWith(who + i + " ");
            }
        }
        assertThat(job.done.valueAcquire()).isZero();
    }

    @Behaviour(number = 108, value = "A first message reaches a context that another client had before.")
    void shouldReachAContextInAFurtherUse(ContractJob job) {
        job.reuse();
        final List<Long> received = ContractJob.noting(job.receiving().context(1), ID);

        // Over a link, this is the first contact of the sender with the receiver.
        job.sender.send(new Message().to(job.to, 1, ID).payload(job.source, 0, 8));
        job.sender.send(new Message().to(job.to, 1, ID).payload(job.source, 0, 4));
        job.settle();
        assertThat(received).containsExactly(job.source.buffer().getLong(0), 4L);
        final long[] found = new long[1];
        job.pumping(job.from, deadlineNs -> found[0] = job.sending().endpoint(job.to, 1, deadlineNs));
        assertThat(found[0]).isEqualTo(job.receiving().context(1).endpoint());
        assertThat(Endpoint.use(found[0])).isEqualTo(1);
        job.sender.send(new Message().to(found[0], ID).payload(job.source, 0, 2));
        job.settle();
        assertThat(received).last().isEqualTo(2L);
        for (final Refusal refusal : Refusal.values()) {
            assertThat(job.refusals(job.from, refusal)).as(refusal.name()).isZero();
        }
    }

    @Behaviour(
            number = 19,
            value = "A MULTICAST to a dead rank reaches the others and names the dead rank.",
            all = true)
    void shouldMulticastPastADeadRank(ContractJob job) {
        final List<String> received = listening(job, job.to, 3);
        final long[] endpoints = {Endpoint.of(job.to, 0, 0, 0), Endpoint.of(0, 0, 0, 0), Endpoint.of(3, 0, 0, 0)};
        final int dead = job.from == 0 ? 2 : 0;
        endpoints[1] = Endpoint.of(dead, 0, 0, 0);
        job.dies(dead);
        job.done.expect(24);
        job.sender.multicast(
                new Message()
                        .to(0, ID)
                        .metadata(job.source, 0, 8)
                        .payload(job.source, 8, 8)
                        .completes(job.done),
                endpoints,
                0,
                3);
        job.settle();
        assertThat(received).hasSize(2);
        assertThatThrownBy(() -> job.sender.await(job.done, job.deadline())).hasMessageContaining("rank " + dead);
    }

    @Behaviour(
            number = 25,
            value = "A staged loan of a range and of a record arrives when published, not when abandoned.")
    void shouldSendStagedLoans(ContractJob job) {
        final List<String> received = listening(job, job.to);
        final Loan loan = job.sender.loan(job.source, 0, 4096);
        assertThat(loan.claim(job.in, 64, 100)).isNotNegative();
        loan.buffer().putLong(0, 11);
        job.settle();
        assertThat(job.counter.valueAcquire()).isZero();
        loan.publish();
        job.settle();
        assertThat(loan.claim(job.in, 8, 8)).isNotNegative();
        loan.buffer().putLong(0, 12);
        loan.abandon();
        job.settle();
        assertThat(loan.claim(new Message().to(job.to, ID), 16)).isNotNegative();
        loan.buffer().putLong(0, 13);
        loan.publish();
        job.settle();

        assertThat(job.target.buffer().getLong(64)).isEqualTo(11);
        assertThat(job.counter.valueAcquire()).isEqualTo(-100);
        assertThat(received).containsExactly(job.to + " from " + job.from + ": - 13");
    }

    @Behaviour(number = 63, value = "When both sides flood requests whose handlers reply, every request is answered.")
    void shouldAnswerAFloodOfRequestsBothWays(ContractJob job) {
        final int turns = 600;
        final int[] ranks = {job.from, job.to};
        final long[] requests = new long[2];
        final long[] replies = new long[2];
        for (int side = 0; side < 2; side++) {
            final int at = side;
            job.context(ranks[side])
                    .replyingHandler(
                            REQUEST,
                            (origin, buffer, metadata, metadataLength, payload, length) ->
                                    job.context(ranks[at]).sendImmediate(origin, REPLY, buffer, payload, length));
            job.context(ranks[side]).handler(REPLY, (origin, buffer, metadata, metadataLength, payload, length) -> {
                assertThat(buffer.getLong(payload)).isEqualTo(replies[at]);
                replies[at]++;
            });
        }
        for (int turn = 0; turn < turns; turn++) {
            final int side = turn & 1;
            bytes.putLong(0, requests[side]);
            while (job.context(ranks[side]).sendImmediate(ranks[1 - side], REQUEST, bytes, 0, 32) >= 0) {
                bytes.putLong(0, ++requests[side]);
            }
            job.context(ranks[side]).advance();
        }
        job.advanceUntil(
                () -> Arrays.stream(replies).sum() >= Arrays.stream(requests).sum());
        job.settle();
        assertThat(requests[0]).isGreaterThan(turns);
        assertThat(replies).containsExactly(requests);
    }

    @Behaviour(number = 64, value = "A handler that returns AGAIN holds the messages of its origin alone.", all = true)
    void shouldHoldOneOriginAlone(ContractJob job) {
        final boolean[] ready = {false};
        final List<Integer> origins = new ArrayList<>();
        job.receiver.replyingHandler(REQUEST, (origin, buffer, metadata, metadataLength, payload, length) -> {
            if (Endpoint.task(origin) == job.from && !ready[0]) {
                return Status.AGAIN;
            }
            origins.add(Endpoint.task(origin));
            return 0;
        });
        job.sender.sendImmediate(job.to, REQUEST, bytes, 0, 8);
        job.sender.sendImmediate(job.to, REQUEST, bytes, 0, 8);
        job.context(3).sendImmediate(job.to, REQUEST, bytes, 0, 8);
        for (int turn = 0; turn < 100; turn++) {
            job.context(turn % 4).advance();
        }
        assertThat(origins).containsExactly(3);
        ready[0] = true;
        job.settle();
        assertThat(origins).containsExactly(3, job.from, job.from);
    }

    @Behaviour(number = 65, value = "The handler of a reply cannot send.")
    void shouldRefuseSendsOfTheHandlerOfAReply(ContractJob job) {
        job.receiver.replyingHandler(
                REQUEST,
                (origin, buffer, metadata, metadataLength, payload, length) ->
                        job.receiver.sendImmediate(origin, REPLY, buffer, payload, length));
        job.sender.replyingHandler(
                REPLY,
                (origin, buffer, metadata, metadataLength, payload, length) ->
                        job.sender.sendImmediate(origin, REQUEST, buffer, payload, length));
        job.sender.sendImmediate(job.to, REQUEST, bytes, 0, 8);
        assertThatThrownBy(job::settle)
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("not while it handles a reply");
    }

    @Behaviour(number = 66, value = "PUT, COUNT and GET of a handler take effect in order with its reply.")
    void shouldCarryOutOperationsOfAHandler(ContractJob job) {
        job.target.buffer().putLong(0, 5);
        final List<Long> seen = new ArrayList<>();
        job.sender.replyingHandler(REQUEST, (origin, buffer, metadata, metadataLength, payload, length) -> {
            if (job.sender.put(job.in, 512, job.source, 0, 8) < 0) {
                return Status.AGAIN;
            }
            job.sender.count(job.in, -5);
            job.sender.get(job.in, 0, job.source, 4096, 8, job.done);
            return job.sender.sendImmediate(origin, REPLY, bytes, 0, 8);
        });
        job.receiver.handler(
                REPLY,
                (origin, buffer, metadata, metadataLength, payload, length) -> seen.add(job.counter.valueAcquire()));
        job.receiver.sendImmediate(job.from, REQUEST, bytes, 0, 8);
        job.settle();

        assertThat(seen).as("counted before the reply").containsExactly(-13L);
        ContractJob.requireCopied(job.target, 512, 0, 8);
        assertThat(job.source.buffer().getLong(4096)).isEqualTo(5);
    }

    @Behaviour(number = 67, value = "A handler sees the rank and the context that sent a message.")
    void shouldNameTheOriginOfAMessage(ContractJob job) {
        final List<Long> origins = new ArrayList<>();
        job.receiver.handler(ID, (origin, buffer, metadata, metadataLength, payload, length) -> origins.add(origin));
        job.sender.sendImmediate(job.to, ID, bytes, 0, 8);
        job.settle();
        job.sending().context(1).sendImmediate(job.receiver.endpoint(), ID, bytes, 0, 8);
        job.settle();
        assertThat(origins)
                .containsExactly(job.sender.endpoint(), job.sending().context(1).endpoint());
    }

    @Behaviour(
            number = 68,
            value = "A message for an unknown dispatch id reaches no handler, and its sender is notified.")
    void shouldNotifyTheSenderOfAnUnknownDispatchId(ContractJob job) {
        final List<Long> received = ContractJob.noting(job.receiver, ID);
        job.sender.sendImmediate(job.to, 99, bytes, 0, 8);
        job.sender.sendImmediate(job.to, ID, bytes, 0, 0);
        job.settle();
        assertThat(received).hasSize(1);
        assertThat(ErrorLog.count(job.engines.memory(job.from))).isEqualTo(1);
    }

    @Behaviour(number = 72, value = "A context that never advances holds only those who send to it.")
    void shouldHoldOnlySendersOfAContextThatDoesNotAdvance(ContractJob job) {
        final List<Long> received = ContractJob.noting(job.receiver, ID);
        // Context 1 of the receiver does not advance: its lane fills up.
        final long endpoint = job.receiving().context(1).endpoint();
        for (int turn = 0; turn < 2000; turn++) {
            job.sending().context(1).sendImmediate(endpoint, ID, bytes, 0, 32);
            job.sending().context(1).advance();
            job.receiver.advance();
        }
        assertThat(job.sending().context(1).isDrained()).as("held").isFalse();
        job.sender.put(job.in, 0, job.source, 0, 8);
        job.sender.sendImmediate(job.to, ID, bytes, 0, 8);
        job.sender.get(job.in, 0, job.source, 64, 8, job.done);
        for (int turn = 0; turn < 100; turn++) {
            job.sender.advance();
            job.receiver.advance();
        }
        assertThat(job.counter.valueAcquire()).as("put").isEqualTo(-8);
        assertThat(received).as("sent to the other context").hasSize(1);
        assertThat(job.done.valueAcquire()).as("fetched").isEqualTo(-8);
    }

    @Behaviour(number = 73, value = "A SEND of 1 KiB beside a stream of short SENDs of another FIFO is served.")
    void shouldServeALongSendBesideShortOnes(ContractJob job) {
        final List<Long> received = ContractJob.noting(job.receiver, ID);
        final InjectionFifo fifo = job.sender.injectionFifo();
        job.source.buffer().putLong(0, -1);
        bytes.putLong(0, 1);
        boolean sent = false;
        for (int turn = 0; turn < 3000 && !received.contains(-1L); turn++) {
            while (job.sender.sendImmediate(job.to, ID, bytes, 0, 8) >= 0) {
                bytes.putLong(8, turn);
            }
            if (turn == 100) {
                fifo.send(new Message().to(job.to, ID).payload(job.source, 0, 1024));
                sent = true;
            }
            job.sender.advance();
            // A slow reader: the lane is nearly always full.
            if (turn % 3 == 0) {
                job.receiver.advance(5);
            }
        }
        assertThat(sent).isTrue();
        assertThat(received).contains(-1L);
    }

    /** Bytes that an injection counter counts for a SEND, a PUT, a GET and an RMW of the flood. */
    private static final int[] LENGTHS = {0, 4000, 3000, Rmw.LENGTH};

    @Behaviour(number = 74, value = "When both sides flood all operations, none is lost and no counter is wrong.")
    void shouldEndAFloodOfAllOperations(ContractJob job) {
        final int[] ranks = {job.from, job.to};
        final ReceptionCounter back = job.sending()
                .receptionCounter(job.source, 0, ContractJob.BYTES, ReceptionCounter.ANYBODY, Right.values());
        final Target[] targets = {job.in, ContractJob.target(job.from, back)};
        final InjectionCounter[] counters = {job.done, job.receiving().injectionCounter()};
        final Window[] scratch = {job.sending().window(4096), job.receiving().window(4096)};
        final List<Long> received = ContractJob.noting(job.sender, ID);
        final List<Long> others = ContractJob.noting(job.receiver, ID);
        final long[] sent = new long[2];
        final long[] added = new long[2];
        final Random chance = new Random(3);
        job.source.buffer().putLong(0, 0);
        for (int turn = 0; turn < 800; turn++) {
            final int side = turn & 1;
            final Context context = job.context(ranks[side]);
            long result = 0;
            while (result >= 0) {
                final int kind = chance.nextInt(LENGTHS.length);
                result = switch (kind) {
                    case 0 -> context.sendImmediate(ranks[1 - side], ID, bytes, 0, 16);
                    case 1 -> context.put(targets[side], 64, scratch[side], 0, LENGTHS[1], counters[side]);
                    case 2 -> context.get(targets[side], 64, scratch[side], 0, LENGTHS[2], counters[side]);
                    default ->
                        context.rmw(targets[side], 0, new Rmw().fetchAdd(1).completes(counters[side]));
                };
                if (result >= 0) {
                    counters[side].expect(LENGTHS[kind]);
                    sent[side] += kind == 0 ? 1 : 0;
                    added[1 - side] += kind == 3 ? 1 : 0;
                }
            }
            context.advance();
        }
        job.settle();
        assertThat(received).hasSize((int) sent[1]);
        assertThat(others).hasSize((int) sent[0]);
        assertThat(job.source.buffer().getLong(0)).isEqualTo(added[0]);
        assertThat(job.target.buffer().getLong(0)).isEqualTo(added[1]);
        for (final InjectionCounter counter : counters) {
            assertThat(counter.errorAcquire()).isZero();
            assertThat(counter.valueAcquire()).isZero();
        }
    }
}
