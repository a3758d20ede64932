package org.segno.engine.dma;

import org.jspecify.annotations.Nullable;
import org.segno.engine.descriptor.Descriptor;
import org.segno.engine.descriptor.Operation;
import org.segno.engine.fifo.FifoTrace;
import org.segno.engine.fifo.InjectionFifoConsumer;
import org.segno.engine.landing.Landing;
import org.segno.engine.memory.MappedMemory;
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
    private final CopiedPart payloads;
    private final CopiedPart headers;

    /** Memory in which {@link #find} has found the payload of a descriptor. */
    private Memory found;

    private long foundAt;

    /** Descriptor of which something is copied, and the length of its payload. */
    private @Nullable InjectionFifoConsumer copiedFifo;

    private @Nullable FifoTrace copiedTrace;
    private boolean isMulticast;

    /** Progress of the descriptor at the begin of this visit, up to which its payload is written. */
    private long writtenTo;

    private final Runnable whole = this::writeWhole;
    private long copiedPosition;
    private long copiedGeneration;
    private int copiedPattern;
    private long payloadLength;

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
        this.payloads =
                new CopiedPart(0, Math.min(TraceRecord.MAX_PAYLOAD, ring.maxLength() - TraceRecord.HEADER_LENGTH));
        this.headers = new CopiedPart(TraceRecord.METADATA, Descriptor.MAX_METADATA_LENGTH);
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
        final long before = fifo.partialBytes();
        copy(fifo, fifo.head(), before);
        isMulticast = Descriptor.operation(memory.getLong(fifo.slot(fifo.head()))) == Operation.MULTICAST;
        copiedTrace = trace;
        writtenTo = before;
        trace.precede(whole);
        final int done = unit.execute(fifo, 1);
        trace.precede(null);
        if (done == 0) {
            if (fifo.partialBytes() > 0) {
                write(fifo.partialBytes());
            }
        } else {
            copiedFifo = null;
        }
        return done;
    }

    /** Writes the rest of the payload of the current descriptor, which is carried out. */
    private void writeWhole() {
        write(payloadLength);
    }

    /**
     * Writes what a visit has moved of the current descriptor.
     *
     * @param progress bytes so far; of a MULTICAST targets, each of which gets the whole payload; of a REMOTE_GET bytes
     *     that are not written
     */
    private void write(long progress) {
        final FifoTrace trace = copiedTrace;
        final InjectionFifoConsumer fifo = copiedFifo;
        if (trace == null || fifo == null || (isMulticast && writtenTo > 0)) {
            return;
        }
        if (writtenTo == 0) {
            headers.write(trace, fifo, copiedPosition, 0, headers.end());
        }
        payloads.write(
                trace,
                fifo,
                copiedPosition,
                isMulticast ? 0 : writtenTo,
                isMulticast ? payloadLength : Math.min(progress, payloadLength));
    }

    /**
     * Copies what the descriptor at the head moves, unless it is copied already: a descriptor without room at its
     * target is visited many times.
     */
    private void copy(InjectionFifoConsumer fifo, long position, long before) {
        final boolean isSame = fifo.equals(copiedFifo)
                && position == copiedPosition
                && fifo.generation() == copiedGeneration
                && fifo.pattern() == copiedPattern;
        if (isSame && (payloads.end() == payloadLength || before == payloads.begin() || isCopiedFrom(before))) {
            return;
        }
        final long slot = fifo.slot(position);
        visit.load(fifo);
        payloadLength = find(slot);
        final boolean isOfTargets = Descriptor.operation(memory.getLong(slot)) == Operation.MULTICAST;
        payloads.copy(found, foundAt, isOfTargets ? 0 : before, payloadLength);
        if (before == 0) {
            copyMetadata(slot);
        }
        copiedFifo = fifo;
        copiedPosition = position;
        copiedGeneration = fifo.generation();
        copiedPattern = fifo.pattern();
    }

    /** Returns true if at least as much as a visit may move is copied from {@code before} on. */
    private boolean isCopiedFrom(long before) {
        return before + visit.quantumBytes + LONGEST_PACKET <= payloads.end();
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

    /** Copies metadata that are read from memory; none for invalid ones. */
    private void copyMetadata(long slot) {
        final long head = memory.getLong(slot);
        final int operation = Descriptor.operation(head);
        final boolean isMessage = operation == Operation.SEND || operation == Operation.MULTICAST;
        final int length = Descriptor.metadataLength(memory.getLong(slot + Descriptor.TARGET_OFFSET));
        final long offset = memory.getLong(slot + Descriptor.METADATA_OFFSET_OFFSET);
        final boolean isValid = isMessage
                && Descriptor.has(head, Descriptor.METADATA_WINDOW)
                && length <= Descriptor.MAX_METADATA_LENGTH
                && metadata.openMetadata(head, memory.getInt(slot + Descriptor.METADATA_OPERAND_OFFSET))
                        == Landing.LANDED
                && metadata.check(offset, length) == Landing.LANDED;
        headers.copy(arena, metadata.base() + offset, 0, isValid ? length : 0);
    }

    /**
     * Copy of bytes of the current descriptor beside the ring: a descriptor may find no room at its target, and a claim
     * in the ring that is given up takes its room all the same.
     */
    private final class CopiedPart {
        private final int flags;
        private final Memory copies;

        /** Range of the payload that is copied. */
        private long begin;

        private long end;

        CopiedPart(int flags, int capacity) {
            this.flags = flags;
            this.copies = MappedMemory.ofProcess(capacity);
        }

        /** Returns the begin of the copied range in the payload. */
        long begin() {
            return begin;
        }

        /** Returns the end of the copied range in the payload. */
        long end() {
            return end;
        }

        /** Copies as much as a record can hold of the bytes from {@code offset} on, of {@code length} altogether. */
        void copy(Memory from, long at, long offset, long length) {
            begin = offset;
            end = Math.max(offset, Math.min(length, offset + copies.length()));
            from.copyTo(at + offset, copies, 0, end - offset);
        }

        /**
         * Writes the copied bytes from {@code offset} to {@code moved}. Counts as lost what was moved and not copied,
         * or has no room in the ring.
         */
        void write(FifoTrace trace, InjectionFifoConsumer fifo, long position, long offset, long moved) {
            final int bytes = (int) (Math.min(moved, end) - offset);
            if (bytes > 0) {
                final int at = ring.claim(TraceRecord.HEADER_LENGTH + bytes);
                if (at == TraceRing.NO_ROOM) {
                    ring.lost(0, 0, moved - offset);
                    return;
                }
                copies.copyTo(offset - begin, target, at + (long) TraceRecord.HEADER_LENGTH, bytes);
                trace.payload(at, flags, fifo, position, offset, bytes);
            }
            if (moved - offset > Math.max(0, bytes)) {
                ring.lost(0, 0, moved - offset - Math.max(0, bytes));
            }
        }
    }
}
