package org.segno.tools.journal.command;

import java.util.Arrays;
import java.util.concurrent.TimeUnit;
import org.agrona.concurrent.UnsafeBuffer;
import org.segno.context.Client;
import org.segno.context.Context;
import org.segno.engine.descriptor.Descriptor;
import org.segno.engine.descriptor.Operation;
import org.segno.geometry.Endpoint;
import org.segno.memory.InjectionCounter;
import org.segno.memory.ReceptionCounter;
import org.segno.memory.Right;
import org.segno.memory.Target;
import org.segno.memory.Window;
import org.segno.node.Node;
import org.segno.operation.Message;
import org.segno.operation.Rmw;
import org.segno.status.Deadline;
import org.segno.status.DeadlineException;
import org.segno.status.Status;

/**
 * Traffic of one rank of a replayed journal, and the check of what it receives. Each sender has a part of every
 * receiver's window; payloads are made from the sender's rank and the position of each byte.
 *
 * <p>Operations with a peer are repeated with their lengths: PUT, REMOTE_GET, RMW, COUNT, SEND, and a MULTICAST as one
 * SEND per target. WAIT, ARM and COPY are local to the recorded program and are counted alone. Used by one thread.
 */
final class ReplayTraffic {
    private static final int DISPATCH = 1;
    private static final int TOTALS_FIELDS = 6;
    private static final String DATA = "journal-data";
    private static final String COUNTS = "journal-counts";
    private static final String TOTALS = "journal-totals";

    private final Node node;
    private final Client client;
    private final Context context;
    private final long longest;
    private final Window source;
    private final Window data;
    private final Window scratch;
    private final Window totals;
    private final ReceptionCounter dataCounter;
    private final ReceptionCounter countCounter;
    private final InjectionCounter fetched;
    private final Target[] dataTargets;
    private final Target[] countTargets;
    private final Target[] totalTargets;
    private final Message message = new Message();
    private final UnsafeBuffer metadata = new UnsafeBuffer(new byte[Descriptor.MAX_METADATA_LENGTH]);
    private final Rmw change = new Rmw();
    private final long limitNs;

    /** What this rank has sent, by receiver, and received, by sender, in the order of {@link Field}. */
    private final long[][] sent;

    private final long[][] received;
    private long skipped;

    /** Fields of the totals. */
    private static final class Field {
        static final int PUT_BYTES = 0;
        static final int PUT_LONGEST = 1;
        static final int MESSAGES = 2;
        static final int MESSAGE_BYTES = 3;
        static final int MESSAGE_SUM = 4;
        static final int COUNTED = 5;
    }

    /**
     * Creates the traffic of a rank. Every rank does so.
     *
     * @param longest bytes of the longest operation of any rank
     */
    ReplayTraffic(Node node, long longest, long limitNs) {
        this.node = node;
        this.client = node.client();
        this.context = client.context();
        this.longest = longest;
        this.limitNs = limitNs;
        final int size = node.size();
        this.source = client.window(longest);
        this.data = client.window(size * longest);
        this.scratch = client.window(longest);
        this.totals = client.window((long) size * TOTALS_FIELDS * Long.BYTES);
        for (int i = 0; i < longest; i++) {
            source.buffer().putByte(i, pattern(node.rank(), i));
        }
        this.dataCounter = client.receptionCounter(
                data, 0, size * longest, ReceptionCounter.ANYBODY, Right.PUT, Right.GET, Right.ATOMIC);
        this.countCounter = client.receptionCounter(scratch, 0, longest);
        this.fetched = client.injectionCounter();
        client.publish(DATA, dataCounter);
        client.publish(COUNTS, countCounter);
        client.publish(
                TOTALS, client.receptionCounter(totals, 0, totals.length(), ReceptionCounter.ANYBODY, Right.GET));
        context.handler(DISPATCH, (origin, buffer, at, length, payload, bytes) -> {
            final long[] from = receivedFrom(Endpoint.task(origin));
            from[Field.MESSAGES]++;
            from[Field.MESSAGE_BYTES] += bytes;
            for (int i = 0; i < bytes; i++) {
                from[Field.MESSAGE_SUM] += buffer.getByte(payload + i);
            }
        });
        this.sent = new long[size][TOTALS_FIELDS];
        this.received = new long[size][TOTALS_FIELDS];
        this.dataTargets = targets(DATA);
        this.countTargets = targets(COUNTS);
        this.totalTargets = targets(TOTALS);
        context.barrier(deadline());
    }

    /** Returns the bytes of windows that the traffic needs. */
    static long windowBytes(int size, long longest) {
        return (size + 4L) * (longest + 256) + (long) size * TOTALS_FIELDS * Long.BYTES + 4096;
    }

    private static byte pattern(int rank, int position) {
        return (byte) (31 * rank + 7 * position + (position >> 8));
    }

    private long[] receivedFrom(int rank) {
        return received[rank];
    }

    private Target[] targets(String name) {
        final Target[] targets = new Target[node.size()];
        for (int rank = 0; rank < targets.length; rank++) {
            targets[rank] = context.attach(rank, name, deadline());
        }
        return targets;
    }

    long deadline() {
        return Deadline.in(limitNs, TimeUnit.NANOSECONDS);
    }

    Context context() {
        return context;
    }

    /** Returns the number of descriptors that were not repeated. */
    long skipped() {
        return skipped;
    }

    /** Injects what a descriptor has done. Waits while there is no room. */
    void inject(long[] words) {
        for (int target = 0; target < targets(words); target++) {
            while (tryInject(words, target) == Status.BACK_PRESSURED) {
                context.advance();
            }
        }
    }

    /** Counts what a descriptor sends, once for each time that it is carried out. */
    void count(long[] words) {
        skipped += targets(words) == 0 ? 1 : 0;
        for (int target = 0; target < targets(words); target++) {
            final int rank = rank(words, target);
            final long bytes = bytes(words);
            final long[] to = sent[rank];
            switch (Descriptor.operation(words[0])) {
                case Operation.PUT -> {
                    to[Field.PUT_BYTES] += bytes;
                    to[Field.PUT_LONGEST] = Math.max(to[Field.PUT_LONGEST], bytes);
                }
                case Operation.SEND, Operation.MULTICAST -> {
                    to[Field.MESSAGES]++;
                    to[Field.MESSAGE_BYTES] += bytes;
                    to[Field.MESSAGE_SUM] += sum(bytes);
                }
                case Operation.COUNT -> to[Field.COUNTED] += amount(words);
                default -> {}
            }
        }
    }

    private long sum(long bytes) {
        long sum = 0;
        for (int i = 0; i < bytes; i++) {
            sum += pattern(node.rank(), i);
        }
        return sum;
    }

    private long tryInject(long[] words, int target) {
        final int rank = rank(words, target);
        final long bytes = bytes(words);
        final long part = node.rank() * longest;
        return switch (Descriptor.operation(words[0])) {
            case Operation.PUT -> context.put(dataTargets[rank], part, source, 0, bytes);
            case Operation.REMOTE_GET -> context.get(dataTargets[rank], part, scratch, 0, bytes, fetched);
            case Operation.RMW -> context.rmw(dataTargets[rank], part, change.fetchAdd(0));
            case Operation.COUNT -> context.count(countTargets[rank], amount(words));
            default -> {
                final int length = Descriptor.metadataLength(words[1]);
                message.to(rank, DISPATCH)
                        .metadata(metadata, 0, Math.min(length, Descriptor.MAX_INLINE_METADATA_LENGTH));
                yield context.send(message.payload(source, 0, bytes));
            }
        };
    }

    /** Returns the number of operations with peers that a descriptor stands for. */
    private static int targets(long[] words) {
        return switch (Descriptor.operation(words[0])) {
            case Operation.PUT, Operation.REMOTE_GET, Operation.RMW, Operation.COUNT, Operation.SEND -> 1;
            case Operation.MULTICAST -> Math.min(Descriptor.targets(words[1]), Descriptor.MAX_TARGETS);
            default -> 0;
        };
    }

    private int rank(long[] words, int target) {
        final int rank = target == 0
                ? Descriptor.rank(words[0])
                : Descriptor.furtherRank(Descriptor.furtherTarget(words, 0, target));
        return Math.floorMod(rank, node.size());
    }

    private static long amount(long[] words) {
        return words[Descriptor.TARGET_OFFSET_OFFSET / Long.BYTES];
    }

    /** Returns the bytes that a descriptor moves to or from one target. */
    static long bytes(long[] words) {
        return switch (Descriptor.operation(words[0])) {
            case Operation.MULTICAST -> Descriptor.payloadLength(words[Descriptor.OPERAND_OFFSET / Long.BYTES]);
            case Operation.SEND ->
                Descriptor.has(words[0], Descriptor.IMMEDIATE)
                        ? Descriptor.immediateLength(words[1])
                        : words[Descriptor.LENGTH_OFFSET / Long.BYTES];
            case Operation.PUT, Operation.REMOTE_GET -> words[Descriptor.LENGTH_OFFSET / Long.BYTES];
            case Operation.RMW -> Long.BYTES;
            default -> 0;
        };
    }

    /**
     * Waits until everything has landed everywhere, and compares what was received with what its senders have sent.
     * Every rank calls this.
     *
     * @return the number of senders of which something else was received
     */
    int verify() {
        context.await(context::isDrained, deadline());
        context.fence(deadline());
        for (int rank = 0; rank < node.size(); rank++) {
            for (int field = 0; field < TOTALS_FIELDS; field++) {
                totals.buffer().putLong((rank * TOTALS_FIELDS + field) * Long.BYTES, sent[rank][field]);
            }
        }
        context.barrier(deadline());
        int wrong = 0;
        long putBytes = 0;
        long counted = 0;
        for (int rank = 0; rank < node.size(); rank++) {
            final long[] stated = fetch(rank);
            putBytes += stated[Field.PUT_BYTES];
            counted += stated[Field.COUNTED];
            wrong += areReceived(rank, stated) && isRight(rank, stated) ? 0 : 1;
        }
        if (dataCounter.valueAcquire() != -putBytes || countCounter.valueAcquire() != counted) {
            wrong++;
        }
        context.barrier(deadline());
        return wrong;
    }

    /** Waits until the handler has received the messages of a rank. Returns false if they do not arrive. */
    private boolean areReceived(int rank, long[] stated) {
        try {
            context.await(() -> received[rank][Field.MESSAGES] >= stated[Field.MESSAGES], deadline());
            return true;
        } catch (final DeadlineException ignored) {
            return false;
        }
    }

    private long[] fetch(int rank) {
        final long bytes = (long) TOTALS_FIELDS * Long.BYTES;
        while (context.get(totalTargets[rank], node.rank() * bytes, scratch, 0, bytes, fetched)
                == Status.BACK_PRESSURED) {
            context.advance();
        }
        context.fence(deadline());
        final long[] fields = new long[TOTALS_FIELDS];
        for (int field = 0; field < TOTALS_FIELDS; field++) {
            fields[field] = scratch.buffer().getLong(field * Long.BYTES);
        }
        return fields;
    }

    private boolean isRight(int rank, long[] stated) {
        final long[] found = received[rank];
        final byte[] landed = new byte[(int) stated[Field.PUT_LONGEST]];
        final byte[] expected = new byte[landed.length];
        data.buffer().getBytes((int) (rank * longest), landed);
        for (int i = 0; i < expected.length; i++) {
            expected[i] = pattern(rank, i);
        }
        return Arrays.equals(landed, expected)
                && found[Field.MESSAGES] == stated[Field.MESSAGES]
                && found[Field.MESSAGE_BYTES] == stated[Field.MESSAGE_BYTES]
                && found[Field.MESSAGE_SUM] == stated[Field.MESSAGE_SUM];
    }
}
