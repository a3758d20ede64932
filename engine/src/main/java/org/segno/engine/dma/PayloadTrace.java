package org.segno.engine.dma;

import org.segno.engine.descriptor.Descriptor;
import org.segno.engine.descriptor.Operation;
import org.segno.engine.fifo.FifoTrace;
import org.segno.engine.fifo.InjectionFifoConsumer;
import org.segno.engine.landing.Landing;
import org.segno.engine.memory.Memory;
import org.segno.engine.memory.NodeMemory;
import org.segno.engine.memory.WindowTable;
import org.segno.engine.trace.TraceRecord;
import org.segno.engine.trace.TraceRing;

/**
 * Executor of descriptors one by one, which copies the payload of each, and metadata that lie in memory, into the trace
 * before it is carried out: later the application may have overwritten them. Used only by the engine's thread.
 */
final class PayloadTrace {
    /** More than the payload of a packet, with which a link may exceed the quantum. */
    private static final int LONGEST_PACKET = 1 << 16;

    private final TraceRing ring;
    private final Memory target;
    private final Memory memory;
    private final Memory arena;
    private final LocalOperand source;
    private final LocalOperand metadata;
    private final Targets targets;
    private final Visit visit;
    private final CopiedPart payloads = new CopiedPart(0);
    private final CopiedPart headers = new CopiedPart(TraceRecord.METADATA);

    /** Memory in which {@link #find} has found the payload of a descriptor. */
    private Memory found;

    private long foundAt;

    PayloadTrace(TraceRing ring, NodeMemory node, Targets targets, Visit visit) {
        final WindowTable windows = new WindowTable(node);
        this.ring = ring;
        this.target = ring.memory();
        this.memory = node.owner();
        this.arena = node.arena();
        this.found = arena;
        this.source = new LocalOperand(node, windows, visit);
        this.metadata = new LocalOperand(node, windows, visit);
        this.targets = targets;
        this.visit = visit;
    }

    /** Carries out descriptors as {@link DescriptorUnit#execute} does. */
    int execute(DescriptorUnit unit, InjectionFifoConsumer fifo, int limit) {
        int done = 0;
        int one;
        do {
            one = executeOne(unit, fifo);
            done += one;
        } while (one != 0 && done < limit && fifo.head() != fifo.tail() && visit.quantumBytes > 0);
        return done;
    }

    private int executeOne(DescriptorUnit unit, InjectionFifoConsumer fifo) {
        final FifoTrace trace = fifo.service().trace();
        if (trace == null) {
            return unit.execute(fifo, 1);
        }
        final long position = fifo.head();
        final long before = fifo.partialBytes();
        final long slot = fifo.slot(position);
        visit.load(fifo);
        final long length = find(slot);
        final boolean isMulticast = Descriptor.operation(memory.getLong(slot)) == Operation.MULTICAST;
        // The partial progress of a MULTICAST counts targets, each of which gets the whole payload.
        final long offset = isMulticast ? 0 : before;
        if (length > offset && (!isMulticast || before == 0)) {
            payloads.copy(found, foundAt + offset, Math.min(length - offset, visit.quantumBytes + LONGEST_PACKET));
        }
        final int metadataLength = before == 0 ? copyMetadata(slot) : 0;
        final long refusals = trace.refusals();
        final int done;
        try {
            done = unit.execute(fifo, 1);
        } catch (RuntimeException | Error e) {
            payloads.giveUp();
            headers.giveUp();
            throw e;
        }
        final boolean isWhole = done == 1 || (isMulticast && fifo.partialBytes() != 0);
        final boolean isRefused = trace.refusals() != refusals;
        final long moved = isWhole ? length : fifo.partialBytes();
        headers.end(trace, fifo, position, 0, isWhole && !isRefused ? metadataLength : 0);
        payloads.end(trace, fifo, position, offset, isRefused ? 0 : moved - offset);
        return done;
    }

    /**
     * Finds the payload that a descriptor moves from memory. Returns its length; 0 for none, and for an invalid one.
     */
    private long find(long slot) {
        final long head = memory.getLong(slot);
        final int operation = Descriptor.operation(head);
        if (operation == Operation.PUT && Descriptor.has(head, Descriptor.IN_PLACE)) {
            return findInPlace(slot, head);
        }
        final boolean isRead = operation == Operation.SEND
                ? !Descriptor.has(head, Descriptor.IMMEDIATE)
                : operation == Operation.PUT
                        || operation == Operation.COPY
                        || operation == Operation.COMBINE
                        || operation == Operation.MULTICAST;
        if (!isRead) {
            return 0;
        }
        final long length = operation == Operation.MULTICAST
                ? memory.getInt(slot + Descriptor.MULTICAST_LENGTH_OFFSET)
                : memory.getLong(slot + Descriptor.LENGTH_OFFSET);
        final long operand = memory.getLong(slot + Descriptor.SOURCE_OPERAND_OFFSET);
        final long offset = memory.getLong(slot + Descriptor.SOURCE_OFFSET_OFFSET);
        final boolean isValid = length > 0
                && source.openSource(head, Descriptor.window(operand)) == Landing.LANDED
                && source.check(offset, length) == Landing.LANDED;
        found = arena;
        foundAt = source.base() + offset;
        return isValid ? length : 0;
    }

    /** Finds the payload that an application has written to its target: it lies there, since mapped memory has it. */
    private long findInPlace(long slot, long head) {
        final Landing landing = targets.landing(Descriptor.rank(head));
        final long counter = memory.getLong(slot + Descriptor.TARGET_OFFSET);
        final long offset = memory.getLong(slot + Descriptor.TARGET_OFFSET_OFFSET);
        final long length = memory.getLong(slot + Descriptor.LENGTH_OFFSET);
        if (landing == null
                || length <= 0
                || landing.open(visit.counter(head, counter), Descriptor.incarnation(counter)) != Landing.LANDED
                || !landing.admits(offset, length)) {
            return 0;
        }
        found = landing.arena();
        foundAt = landing.openBase() + offset;
        return length;
    }

    /** Copies metadata that are read from memory. Returns their length, 0 for none and for invalid ones. */
    private int copyMetadata(long slot) {
        final long head = memory.getLong(slot);
        final int operation = Descriptor.operation(head);
        final boolean isMessage = operation == Operation.SEND || operation == Operation.MULTICAST;
        if (!isMessage || !Descriptor.has(head, Descriptor.METADATA_WINDOW)) {
            return 0;
        }
        final int length = Descriptor.metadataLength(memory.getLong(slot + Descriptor.TARGET_OFFSET));
        final long offset = memory.getLong(slot + Descriptor.METADATA_OFFSET_OFFSET);
        final boolean isValid = length > 0
                && length <= Descriptor.MAX_METADATA_LENGTH
                && metadata.openMetadata(head, memory.getInt(slot + Descriptor.METADATA_OPERAND_OFFSET))
                        == Landing.LANDED
                && metadata.check(offset, length) == Landing.LANDED;
        if (!isValid) {
            return 0;
        }
        headers.copy(arena, metadata.base() + offset, length);
        return length;
    }

    /** Copy of bytes of the current descriptor, in a claimed record. */
    private final class CopiedPart {
        private static final int NOTHING = -2;

        private final int flags;

        /** Claimed record, or {@link #NOTHING}, and the bytes for which it has room. */
        private int claimed = NOTHING;

        private long room;

        CopiedPart(int flags) {
            this.flags = flags;
        }

        void copy(Memory from, long at, long bytes) {
            final int most = Math.min(TraceRecord.MAX_PAYLOAD, ring.maxLength() - TraceRecord.HEADER_LENGTH);
            room = Math.min(bytes, most);
            claimed = ring.claim(TraceRecord.HEADER_LENGTH + (int) room);
            if (claimed != TraceRing.NO_ROOM) {
                from.copyTo(at, target, claimed + (long) TraceRecord.HEADER_LENGTH, room);
            }
        }

        /** Gives up a claimed record, behind which the ring would not be read. */
        void giveUp() {
            if (claimed >= 0) {
                ring.abort(claimed);
            }
            claimed = NOTHING;
        }

        /** Publishes the copied bytes that were moved. Counts as lost what was moved and had no room in the ring. */
        void end(FifoTrace trace, InjectionFifoConsumer fifo, long position, long offset, long moved) {
            final int at = claimed;
            if (at == NOTHING) {
                return;
            }
            claimed = NOTHING;
            if (at == TraceRing.NO_ROOM) {
                if (moved > 0) {
                    ring.lost(0, 0, moved);
                }
            } else if (moved <= 0) {
                ring.abort(at);
            } else {
                final long written = Math.min(moved, room);
                trace.payload(at, flags, fifo, position, offset, (int) written);
                if (written < moved) {
                    ring.lost(0, 0, moved - written);
                }
            }
        }
    }
}
