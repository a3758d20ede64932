package org.segno.tools.journal.command;

import java.util.List;
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
import org.segno.pattern.Pattern;
import org.segno.pattern.Rounds;
import org.segno.status.Deadline;
import org.segno.status.Status;
import org.segno.tools.journal.PatternSections.Section;

/**
 * Traffic of one rank of a replayed journal. Every operation is repeated with its kind, ranks and lengths, and with its
 * payload and metadata if the journal has them; otherwise they are made from the rank and the position of each byte.
 * ARM, WAIT and COMBINE depend on counters and data of the recorded program: they are omitted and counted. Used by one
 * thread.
 */
final class ReplayTraffic {
    private static final int DISPATCH = 1;
    private static final String DATA = "journal-data";
    private static final String COUNTS = "journal-counts";

    private final Node node;
    private final Context context;
    private final ReplayMemory memory;
    private final ReplayTotals totals;
    private final ReplayCheck check;
    private final ReceptionCounter dataCounter;
    private final ReceptionCounter countCounter;
    private final InjectionCounter fetched;
    private final Target[] dataTargets;
    private final Target[] countTargets;
    private final Message message = new Message();
    private final UnsafeBuffer inline = new UnsafeBuffer(new byte[Descriptor.MAX_IMMEDIATE_LENGTH]);
    private final Window inlinePayload;
    private final long[] endpoints = new long[Descriptor.MAX_TARGETS];
    private final Rmw change = new Rmw();
    private final long limitNs;
    private final boolean isVerified;
    private int wrongParts;
    private long omitted;

    /** Creates the traffic of a rank. Every rank does so. */
    ReplayTraffic(Node node, ReplaySizes sizes, boolean isVerified, long limitNs) {
        this.node = node;
        this.limitNs = limitNs;
        this.isVerified = isVerified;
        final Client client = node.client();
        this.context = client.context();
        this.memory = new ReplayMemory(client, node.rank(), node.size(), sizes, isVerified);
        this.totals = new ReplayTotals(node.rank(), node.size(), memory.partBytes(), isVerified);
        this.check = new ReplayCheck(client, memory, totals, this::deadline);
        this.inlinePayload = client.window(Descriptor.MAX_IMMEDIATE_LENGTH);
        this.dataCounter = client.receptionCounter(
                memory.data(), 0, memory.data().length(), ReceptionCounter.ANYBODY, Right.PUT, Right.GET, Right.ATOMIC);
        this.countCounter =
                client.receptionCounter(memory.scratch(), 0, memory.scratch().length());
        this.fetched = client.injectionCounter();
        client.publish(DATA, dataCounter);
        client.publish(COUNTS, countCounter);
        context.handler(
                DISPATCH,
                (origin, buffer, at, length, payload, bytes) ->
                        totals.received(Endpoint.task(origin), buffer, at, length + bytes));
        this.dataTargets = targets(DATA);
        this.countTargets = targets(COUNTS);
        context.barrier(deadline());
    }

    /** Returns the bytes of windows that the traffic needs. */
    static long windowBytes(int size, ReplaySizes sizes) {
        return ReplayMemory.bytes(size, sizes) + ReplayCheck.windowBytes(size) + 4096;
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
    long omitted() {
        return omitted;
    }

    /** Injects what a descriptor has done, with what it has moved as far as that is known. */
    void inject(RecordedOperation operation, RecordedContent content) {
        if (operation.isRepeated()) {
            final ReplayPlace place = memory.place(operation, content, this::landed);
            injectAt(operation, place);
            totals.sent(operation, content, place);
        } else {
            omitted++;
        }
    }

    /** Injects what a descriptor has done, with made payloads. Counts nothing: for measurements after the check. */
    void injectUncounted(RecordedOperation operation) {
        if (operation.isRepeated()) {
            injectAt(operation, memory.anyPlace());
        }
    }

    /** Injects an operation. Waits while there is no room. */
    private void injectAt(RecordedOperation operation, ReplayPlace place) {
        while (tryInject(operation, place) == Status.BACK_PRESSURED) {
            context.advance();
        }
    }

    private long tryInject(RecordedOperation operation, ReplayPlace place) {
        final int rank = operation.rank(0, node.size());
        final long bytes = operation.bytes();
        final long part = memory.part(node.rank());
        return switch (operation.code()) {
            case Operation.PUT ->
                context.put(dataTargets[rank], part + place.targetOffset(), place.source(), place.offset(), bytes);
            case Operation.REMOTE_GET -> context.get(dataTargets[rank], part, memory.scratch(), 0, bytes, fetched);
            case Operation.RMW -> context.rmw(dataTargets[rank], part, change.fetchAdd(0));
            case Operation.COUNT -> context.count(countTargets[rank], operation.amount());
            case Operation.COPY -> context.copy(place.source(), place.offset(), memory.scratch(), 0, bytes);
            default -> send(operation, place, rank);
        };
    }

    private long send(RecordedOperation operation, ReplayPlace place, int rank) {
        message.to(rank, DISPATCH).payload(place.source(), place.offset(), operation.bytes());
        if (operation.hasMetadataInMemory()) {
            message.metadata(place.source(), place.metadataOffset(operation), operation.metadataLength());
        } else {
            inline.putBytes(0, operation.inline());
            message.metadata(inline, 0, operation.metadataLength());
        }
        if (operation.isImmediate()) {
            inlinePayload.putBytes(0, inline, operation.metadataLength(), (int) operation.bytes());
            return context.sendImmediate(message.payload(inlinePayload, 0, operation.bytes()));
        }
        if (operation.code() == Operation.SEND) {
            return context.send(message);
        }
        for (int target = 0; target < operation.targets(); target++) {
            endpoints[target] = Endpoint.of(operation.rank(target, node.size()), 0, 0, 0);
        }
        return context.multicast(message, endpoints, 0, operation.targets());
    }

    /** Prepares the pattern of a section. Each of its operations has places of its own. */
    ReplayedPattern prepare(Section section) {
        final List<RecordedOperation> operations =
                section.descriptors().stream().map(RecordedOperation::new).toList();
        final List<ReplayPlace> places =
                operations.stream().map(memory::placeInSection).toList();
        final Pattern pattern = context.prepare(Rounds.ORDERED_BY_CALLER, () -> {
            for (int i = 0; i < operations.size(); i++) {
                if (operations.get(i).isRepeated()) {
                    injectAt(operations.get(i), places.get(i));
                }
            }
        });
        return new ReplayedPattern(section, operations, places, pattern);
    }

    /** Sends a round of a pattern, with what each of its operations has moved as far as that is known. */
    void round(ReplayedPattern replayed, List<RecordedContent> contents) {
        // Its engine has read the payloads of the round before, and its places are used again.
        context.await(replayed.pattern()::isComplete, deadline());
        if (isVerified && replayed.pattern().generation() > 0) {
            landed();
        }
        for (int i = 0; i < contents.size(); i++) {
            memory.fill(replayed.places().get(i), replayed.operations().get(i), contents.get(i));
        }
        replay(replayed);
        for (int i = 0; i < contents.size(); i++) {
            if (replayed.operations().get(i).isRepeated()) {
                totals.sent(
                        replayed.operations().get(i),
                        contents.get(i),
                        replayed.places().get(i));
            } else {
                omitted++;
            }
        }
    }

    /**
     * Waits until everything that was sent has landed. If it is checked, reads back what was put since the last call,
     * and compares it.
     */
    private void landed() {
        context.await(context::isDrained, deadline());
        context.fence(deadline());
        for (int rank = 0; isVerified && rank < node.size(); rank++) {
            if (totals.takeChanged(rank)) {
                final long part = memory.part(node.rank());
                while (context.get(dataTargets[rank], part, memory.readBack(), 0, memory.partBytes(), fetched)
                        == Status.BACK_PRESSURED) {
                    context.advance();
                }
                context.fence(deadline());
                final boolean isRight =
                        memory.readBack().buffer(0, memory.partBytes()).compareTo(totals.part(rank)) == 0;
                wrongParts += isRight ? 0 : 1;
            }
        }
    }

    /** Starts a round of a pattern. Counts nothing. */
    void replay(ReplayedPattern replayed) {
        while (context.replay(replayed.pattern()) < 0) {
            context.advance();
        }
    }

    /**
     * Waits until everything has landed everywhere, and compares what was received with what its senders have sent.
     * Every rank calls this.
     *
     * @return the number of differences: of parts that this rank has read back, and of senders
     */
    int verify() {
        landed();
        return wrongParts + check.run(dataCounter, countCounter);
    }
}
