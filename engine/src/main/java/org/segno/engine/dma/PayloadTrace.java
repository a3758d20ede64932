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
 * Executor of descriptors one by one, which copies the payload of each into the trace before it is carried out: later
 * the application may have overwritten the source. Used only by the engine's thread.
 */
final class PayloadTrace {
    private static final int NOTHING = -1;

    private final TraceRing ring;
    private final Memory target;
    private final Memory memory;
    private final Memory arena;
    private final LocalOperand source;
    private final Visit visit;

    /** Claimed record, or {@link #NOTHING}, and the bytes for which it has room. */
    private int claimed = NOTHING;

    private long room;

    PayloadTrace(TraceRing ring, NodeMemory node, Visit visit) {
        this.ring = ring;
        this.target = ring.memory();
        this.memory = node.owner();
        this.arena = node.arena();
        this.source = new LocalOperand(node, new WindowTable(node), visit);
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
        final long length = payloadLength(slot);
        final boolean isMulticast = Descriptor.operation(memory.getLong(slot)) == Operation.MULTICAST;
        // The partial progress of a MULTICAST counts targets, each of which gets the whole payload.
        final long offset = isMulticast ? 0 : before;
        final boolean isWanted = length > offset && (!isMulticast || before == 0);
        if (isWanted) {
            copy(slot, offset, Math.min(length - offset, visit.quantumBytes), length);
        }
        final long refusals = trace.refusals();
        final int done;
        try {
            done = unit.execute(fifo, 1);
        } catch (RuntimeException | Error e) {
            giveUp();
            throw e;
        }
        if (isWanted) {
            final long moved = isMulticast
                    ? (done == 1 || fifo.partialBytes() != 0 ? length : 0)
                    : (done == 1 ? length : fifo.partialBytes()) - offset;
            end(trace, fifo, position, offset, trace.refusals() == refusals ? moved : 0);
        }
        return done;
    }

    /** Returns the length of the payload that a descriptor reads from memory; 0 for none, and for an invalid one. */
    private long payloadLength(long slot) {
        final long head = memory.getLong(slot);
        final boolean isRead = switch (Descriptor.operation(head)) {
            case Operation.PUT -> !Descriptor.has(head, Descriptor.IN_PLACE);
            case Operation.SEND -> !Descriptor.has(head, Descriptor.IMMEDIATE);
            case Operation.COPY, Operation.MULTICAST -> true;
            default -> false;
        };
        if (!isRead) {
            return 0;
        }
        final long length = Descriptor.operation(head) == Operation.MULTICAST
                ? memory.getInt(slot + Descriptor.MULTICAST_LENGTH_OFFSET)
                : memory.getLong(slot + Descriptor.LENGTH_OFFSET);
        final long operand = memory.getLong(slot + Descriptor.SOURCE_OPERAND_OFFSET);
        final long offset = memory.getLong(slot + Descriptor.SOURCE_OFFSET_OFFSET);
        final boolean isValid = length > 0
                && source.openSource(head, Descriptor.window(operand)) == Landing.LANDED
                && source.check(offset, length) == Landing.LANDED;
        return isValid ? length : 0;
    }

    private void copy(long slot, long offset, long part, long length) {
        final int most = Math.min(TraceRecord.MAX_PAYLOAD, ring.maxLength() - TraceRecord.HEADER_LENGTH);
        room = Math.min(part, most);
        claimed = ring.claim(TraceRecord.HEADER_LENGTH + (int) room);
        if (claimed != TraceRing.NO_ROOM) {
            assert offset + room <= length : offset + " + " + room + " of " + length;
            final long from = source.base() + memory.getLong(slot + Descriptor.SOURCE_OFFSET_OFFSET) + offset;
            arena.copyTo(from, target, claimed + (long) TraceRecord.HEADER_LENGTH, room);
        }
    }

    /** Gives up a claimed record, behind which the ring would not be read. */
    private void giveUp() {
        if (claimed >= 0) {
            ring.abort(claimed);
        }
        claimed = NOTHING;
    }

    /** Publishes the copied bytes that were moved. Counts as lost what was moved and had no room in the ring. */
    private void end(FifoTrace trace, InjectionFifoConsumer fifo, long position, long offset, long moved) {
        final int at = claimed;
        claimed = NOTHING;
        if (at == TraceRing.NO_ROOM) {
            if (moved > 0) {
                ring.lost(0, 0, moved);
            }
            return;
        }
        if (moved <= 0) {
            ring.abort(at);
            return;
        }
        final long written = Math.min(moved, room);
        trace.payload(at, fifo, position, offset, (int) written);
        if (written < moved) {
            ring.lost(0, 0, moved - written);
        }
    }
}
