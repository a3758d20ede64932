package org.segno.engine.dma;

import org.jspecify.annotations.Nullable;
import org.segno.engine.descriptor.Descriptor;
import org.segno.engine.fifo.InjectionFifoConsumer;
import org.segno.engine.fifo.ReceptionFifoProducer;
import org.segno.engine.landing.AdmittedCounter;
import org.segno.engine.landing.Landing;
import org.segno.engine.memory.Memory;
import org.segno.engine.memory.NodeMemory;
import org.segno.engine.memory.SeenEntry;
import org.segno.engine.memory.WindowTable;
import org.segno.status.Refusal;

/**
 * Executor of PUTs. Used only by the engine's thread.
 *
 * <p>Successive PUTs with the same target, counters and source operand are a <em>run</em>. Each costs two range checks
 * and the copy. One atomic add at each end counts the whole run down. A PUT that notifies, or whose bytes are in place,
 * is a run of its own.
 */
final class PutUnit {
    private static final int SOURCE_FLAGS = Descriptor.SOURCE_COUNTER | Descriptor.ALTERNATE_SOURCE;
    private static final int FLAGS = Descriptor.ALTERNATE | Descriptor.NOTIFY | Descriptor.IN_PLACE | SOURCE_FLAGS;

    private final Memory memory;
    private final Memory arena;
    private final LocalOperand operand;
    private final Targets targets;
    private final Visit visit;

    private long runHead;
    private long runTarget;
    private long runSource;
    private Landing landing;

    PutUnit(NodeMemory node, WindowTable windows, Targets targets, Visit visit) {
        this.memory = node.owner();
        this.arena = node.arena();
        this.operand = new LocalOperand(node, windows, visit);
        this.targets = targets;
        this.visit = visit;
        this.landing = targets.self();
    }

    /**
     * Carries out the run of PUTs that begins at {@code first}.
     *
     * @return the position of the first remaining descriptor; {@link Visit#result} is the reason if the run had to stop
     *     there
     */
    long run(InjectionFifoConsumer fifo, long first, long end) {
        final int opened = open(fifo.slot(first));
        if (opened != Landing.LANDED) {
            return visit.stop(first, opened);
        }
        // The flags are in the head, and therefore set in none or all of a run.
        if (Descriptor.has(runHead, Descriptor.NOTIFY | Descriptor.IN_PLACE)) {
            return Descriptor.has(runHead, Descriptor.NOTIFY) ? notifying(fifo, first) : alone(fifo, first);
        }
        final long quantum = visit.quantumBytes;
        // A quantum that ended within a message may have moved a part of a short one, too: only the rest is left of it.
        long next = first;
        boolean several = true;
        if (visit.partialBytes == 0) {
            several = end - first > 1 && continues(fifo.slot(first + 1));
            next = several ? runSeveral(fifo, first, end) : runOne(fifo, first);
        }
        // A lone message that is done is not followed by one of its run.
        if ((several || next == first) && next != end && visit.quantumBytes > 0 && continues(fifo.slot(next))) {
            next = runOthers(fifo, next, end);
        }
        final long all = quantum - visit.quantumBytes;
        landing.close(all);
        targets.injected(Descriptor.injectionCounter(runSource), all);
        return next;
    }

    /** Carries out a run of one message if it is short. Returns the position of the first remaining descriptor. */
    private long runOne(InjectionFifoConsumer fifo, long first) {
        final long slot = fifo.slot(first);
        final long sourceOffset = memory.getLong(slot + Descriptor.SOURCE_OFFSET_OFFSET);
        final long targetOffset = memory.getLong(slot + Descriptor.TARGET_OFFSET_OFFSET);
        final long length = memory.getLong(slot + Descriptor.LENGTH_OFFSET);
        final boolean ordinary = length >= 0
                && length <= Memory.SHORT_COPY_LIMIT
                && operand.admits(sourceOffset, length)
                && landing.admits(targetOffset, length);
        if (!ordinary) {
            return first;
        }
        landing.landShort(arena, operand.base() + sourceOffset, targetOffset, (int) length);
        visit.moved(length);
        return first + 1;
    }

    /** Carries out the beginning of a run of several messages: words or lines, then short messages, then long ones. */
    private long runSeveral(InjectionFifoConsumer fifo, long first, long end) {
        long next = first;
        int most;
        int done;
        do {
            most = fifo.adjacent(next, end);
            done = runAdjacent(fifo.slot(next), most);
            next += done;
        } while (done == most && next != end);
        return next;
    }

    /**
     * Carries out the messages at the beginning of {@code most} adjacent slots. Each kind has a loop without calls, so
     * that everything that does not change stays in registers. A single message has a method of its own: otherwise the
     * compiler would see mostly loops of one turn.
     *
     * @return the number of messages
     */
    private int runAdjacent(long slot, int most) {
        final long length = memory.getLong(slot + Descriptor.LENGTH_OFFSET);
        int done = 0;
        if (length == Long.BYTES) {
            done = runWords(slot, most);
        } else if (length == Memory.LINE_LENGTH) {
            done = runLines(slot, most);
        }
        if (done != most) {
            done += runShort(slot + (long) done * Descriptor.LENGTH, most - done);
        }
        return done == most ? done : done + runLong(slot + (long) done * Descriptor.LENGTH, most - done);
    }

    /**
     * Carries out messages of 8 bytes. Each is checked by two comparisons: that it continues the run with this length,
     * and that both offsets lie in their ranges.
     */
    private int runWords(long first, int most) {
        final Memory words = memory;
        final Memory from = arena;
        final Memory into = landing.arena();
        final long head = runHead;
        final long target = runTarget;
        final long source = runSource;
        final long base = operand.base();
        final long openBase = landing.openBase();
        final long lastSource = last(operand.length(), Long.BYTES);
        final long lastTarget = last(landing.openLimit(), Long.BYTES);
        final int end = end(most, Long.BYTES);
        int at = 0;
        for (; at < end; at += Descriptor.LENGTH) {
            final long slot = first + at;
            final long difference = difference(words, slot, head, target, source)
                    | (words.getLong(slot + Descriptor.LENGTH_OFFSET) ^ Long.BYTES);
            final long sourceOffset = words.getLong(slot + Descriptor.SOURCE_OFFSET_OFFSET);
            final long targetOffset = words.getLong(slot + Descriptor.TARGET_OFFSET_OFFSET);
            if (difference != 0
                    || (sourceOffset | targetOffset | (lastSource - sourceOffset) | (lastTarget - targetOffset)) < 0) {
                break;
            }
            into.putLong(openBase + targetOffset, from.getLong(base + sourceOffset));
        }
        final int done = at / Descriptor.LENGTH;
        visit.moved((long) done * Long.BYTES);
        return done;
    }

    /** Carries out messages of 64 bytes, as {@link #runWords} those of 8. */
    private int runLines(long first, int most) {
        final Memory words = memory;
        final Memory from = arena;
        final Memory into = landing.arena();
        final long head = runHead;
        final long target = runTarget;
        final long source = runSource;
        final long base = operand.base();
        final long openBase = landing.openBase();
        final long lastSource = last(operand.length(), Memory.LINE_LENGTH);
        final long lastTarget = last(landing.openLimit(), Memory.LINE_LENGTH);
        final int end = end(most, Memory.LINE_LENGTH);
        int at = 0;
        for (; at < end; at += Descriptor.LENGTH) {
            final long slot = first + at;
            final long difference = difference(words, slot, head, target, source)
                    | (words.getLong(slot + Descriptor.LENGTH_OFFSET) ^ Memory.LINE_LENGTH);
            final long sourceOffset = words.getLong(slot + Descriptor.SOURCE_OFFSET_OFFSET);
            final long targetOffset = words.getLong(slot + Descriptor.TARGET_OFFSET_OFFSET);
            if (difference != 0
                    || (sourceOffset | targetOffset | (lastSource - sourceOffset) | (lastTarget - targetOffset)) < 0) {
                break;
            }
            from.copyLineTo(base + sourceOffset, into, openBase + targetOffset);
        }
        final int done = at / Descriptor.LENGTH;
        visit.moved((long) done * Memory.LINE_LENGTH);
        return done;
    }

    /** Returns the last offset of a message in a range. Not below -1: no difference to an offset from 0 overflows. */
    private static long last(long range, int length) {
        return Math.max(-1, range - length);
    }

    /** Returns the bytes of the slots of messages of {@code length} bytes, with the one in which the quantum ends. */
    private int end(int most, int length) {
        return (int) Math.min(most, (visit.quantumBytes + length - 1) / length) * Descriptor.LENGTH;
    }

    /** Carries out short messages of any lengths. */
    private int runShort(long first, int most) {
        final Memory words = memory;
        final Memory from = arena;
        final Memory into = landing.arena();
        final long head = runHead;
        final long target = runTarget;
        final long source = runSource;
        final long base = operand.base();
        final long limit = operand.length();
        final long openBase = landing.openBase();
        final long openLimit = landing.openLimit();
        final long quantum = visit.quantumBytes;
        final int end = most * Descriptor.LENGTH;
        long bytes = 0;
        int at = 0;
        for (; at < end && bytes < quantum; at += Descriptor.LENGTH) {
            final long slot = first + at;
            if (difference(words, slot, head, target, source) != 0) {
                break;
            }
            final long sourceOffset = words.getLong(slot + Descriptor.SOURCE_OFFSET_OFFSET);
            final long targetOffset = words.getLong(slot + Descriptor.TARGET_OFFSET_OFFSET);
            final long length = words.getLong(slot + Descriptor.LENGTH_OFFSET);
            if (length < 0
                    || length > Memory.SHORT_COPY_LIMIT
                    || !LocalOperand.areWithin(sourceOffset, limit - length, targetOffset, openLimit - length)) {
                break;
            }
            from.copyShortTo(base + sourceOffset, into, openBase + targetOffset, (int) length);
            bytes += length;
        }
        visit.moved(bytes);
        return at / Descriptor.LENGTH;
    }

    /** Carries out long messages, as far as the quantum covers them whole. */
    private int runLong(long first, int most) {
        final Memory words = memory;
        final Memory from = arena;
        final Memory into = landing.arena();
        final long base = operand.base();
        final long limit = operand.length();
        final long openBase = landing.openBase();
        final long openLimit = landing.openLimit();
        final long quantum = visit.quantumBytes;
        final int end = most * Descriptor.LENGTH;
        long bytes = 0;
        int at = 0;
        for (; at < end; at += Descriptor.LENGTH) {
            final long slot = first + at;
            final long length = words.getLong(slot + Descriptor.LENGTH_OFFSET);
            if (length <= Memory.SHORT_COPY_LIMIT || length > quantum - bytes || !continues(slot)) {
                break;
            }
            final long sourceOffset = words.getLong(slot + Descriptor.SOURCE_OFFSET_OFFSET);
            final long targetOffset = words.getLong(slot + Descriptor.TARGET_OFFSET_OFFSET);
            if (!LocalOperand.areWithin(sourceOffset, limit - length, targetOffset, openLimit - length)) {
                break;
            }
            from.copyTo(base + sourceOffset, into, openBase + targetOffset, length);
            bytes += length;
        }
        visit.moved(bytes);
        return at / Descriptor.LENGTH;
    }

    /** Continues a run in which some message is split by the quantum, or is refused. */
    private long runOthers(InjectionFifoConsumer fifo, long first, long end) {
        long next = first;
        while (next != end && visit.quantumBytes > 0 && continues(fifo.slot(next))) {
            visit.result = land(fifo.slot(next));
            if (visit.result != Landing.LANDED) {
                break;
            }
            next++;
        }
        return next;
    }

    /**
     * Carries out one PUT that notifies, or a part of it. Each is a run of its own. Its bytes are counted down before
     * its notice is published, so that the receiver of the notice finds both done. Nothing lands while there is no room
     * for the notice.
     */
    private long notifying(InjectionFifoConsumer fifo, long position) {
        final long slot = fifo.slot(position);
        final long notice = memory.getLong(slot + Descriptor.OPERAND_OFFSET);
        final int context = Descriptor.context(notice);
        final long quantum = visit.quantumBytes;
        final int checked = landing.checkContext(context);
        final int result;
        if (checked != Landing.LANDED) {
            result = checked;
        } else if (!landing.laneOf(context).from(visit.origin())
                || !landing.laneOf(context).hasNoticeRoom()) {
            result = Landing.NO_ROOM;
        } else {
            result = Descriptor.has(runHead, Descriptor.IN_PLACE) ? inPlace(slot) : land(slot);
        }
        final long bytes = quantum - visit.quantumBytes;
        landing.close(bytes);
        targets.injected(Descriptor.injectionCounter(runSource), bytes);
        if (result != Landing.LANDED) {
            return visit.stop(position, result);
        }
        final ReceptionFifoProducer lane = landing.laneOf(context);
        lane.publishNotice(
                Descriptor.dispatchId(notice),
                visit.counter(runHead, runTarget),
                memory.getLong(slot + Descriptor.TARGET_OFFSET_OFFSET),
                memory.getLong(slot + Descriptor.LENGTH_OFFSET));
        landing.arrived(context);
        visit.records++;
        return visit.stop(position + 1, Landing.LANDED);
    }

    /** Carries out one PUT whose bytes are in place. Each is a run of its own. */
    private long alone(InjectionFifoConsumer fifo, long position) {
        final long quantum = visit.quantumBytes;
        final int result = inPlace(fifo.slot(position));
        final long bytes = quantum - visit.quantumBytes;
        landing.close(bytes);
        targets.injected(Descriptor.injectionCounter(runSource), bytes);
        return visit.stop(result == Landing.LANDED ? position + 1 : position, result);
    }

    /**
     * Checks a message whose bytes the application has written to their target, as {@link #land} checks one. Its bytes
     * use up the quantum as if they had been copied, so that metrics count them.
     */
    private int inPlace(long slot) {
        final long targetOffset = memory.getLong(slot + Descriptor.TARGET_OFFSET_OFFSET);
        final long length = memory.getLong(slot + Descriptor.LENGTH_OFFSET);
        if (length < 0) {
            return Refusal.BAD_LENGTH.code();
        }
        if (!landing.admits(targetOffset, length)) {
            return Refusal.TARGET_OUT_OF_BOUNDS.code();
        }
        visit.moved(length);
        return Landing.LANDED;
    }

    /** Validates everything except the ranges, which differ between the PUTs of a run. */
    private int open(long slot) {
        final long head = memory.getLong(slot);
        final int rank = Descriptor.rank(head);
        final Landing to = targets.landing(rank);
        if (to == null) {
            return targets.missing(rank);
        }
        if (!Descriptor.hasOnly(head, FLAGS)) {
            return Refusal.UNKNOWN_OPERATION.code();
        }
        final long target = memory.getLong(slot + Descriptor.TARGET_OFFSET);
        final long source = memory.getLong(slot + Descriptor.SOURCE_OPERAND_OFFSET);
        final int opened = openSource(head, source);
        if (opened != Landing.LANDED) {
            return opened;
        }
        if (!targets.isInjectionCounter(Descriptor.injectionCounter(source))) {
            return Refusal.NO_SUCH_COUNTER.code();
        }
        runHead = head;
        runTarget = target;
        runSource = source;
        if (!to.equals(landing)) {
            landing = to;
        }
        return to.open(visit.counter(head, target), Descriptor.incarnation(target));
    }

    /**
     * Returns the PUT in a slot as validated. Null if it is refused, has a notice, is in place, or begins a run, and if
     * its counter has events or an error on underflow.
     *
     * @param following slot of the next descriptor, or a value below zero if this one is the last
     */
    @Nullable
    Decoded decode(long slot, long following) {
        final long head = memory.getLong(slot);
        final Landing to = targets.landing(Descriptor.rank(head));
        if (to == null || Descriptor.has(head, Descriptor.NOTIFY | Descriptor.IN_PLACE)) {
            return null;
        }
        final long place = memory.getLong(slot + Descriptor.TARGET_OFFSET);
        final AdmittedCounter target = to.admitted(visit.counter(head, place), Descriptor.incarnation(place), false);
        final SeenEntry source =
                operand.seenSource(head, Descriptor.window(memory.getLong(slot + Descriptor.SOURCE_OPERAND_OFFSET)));
        if (target == null || source == null || open(slot) != Landing.LANDED) {
            return null;
        }
        final long sourceOffset = memory.getLong(slot + Descriptor.SOURCE_OFFSET_OFFSET);
        final long targetOffset = memory.getLong(slot + Descriptor.TARGET_OFFSET_OFFSET);
        final long length = memory.getLong(slot + Descriptor.LENGTH_OFFSET);
        if (length < 0
                || !operand.admits(sourceOffset, length)
                || !to.admits(targetOffset, length)
                || (following >= 0 && continues(following))) {
            return null;
        }
        return new DecodedPut(
                new DecodedPut.Source(arena, operand.base() + sourceOffset, length, source),
                new DecodedPut.Target(target, to.openBase() + targetOffset),
                targets,
                Descriptor.injectionCounter(runSource));
    }

    /** Opens the source. Bytes that are in place have none. */
    private int openSource(long head, long source) {
        if (!Descriptor.has(head, Descriptor.IN_PLACE)) {
            return operand.openSource(head, Descriptor.window(source));
        }
        return Descriptor.has(head, SOURCE_FLAGS) ? Refusal.UNKNOWN_OPERATION.code() : Landing.LANDED;
    }

    /** Returns zero if a slot has these words: it continues their run. */
    static long difference(Memory words, long slot, long head, long target, long source) {
        return (words.getLong(slot) ^ head)
                | (words.getLong(slot + Descriptor.TARGET_OFFSET) ^ target)
                | (words.getLong(slot + Descriptor.SOURCE_OPERAND_OFFSET) ^ source);
    }

    private boolean continues(long slot) {
        return memory.getLong(slot) == runHead
                && memory.getLong(slot + Descriptor.TARGET_OFFSET) == runTarget
                && memory.getLong(slot + Descriptor.SOURCE_OPERAND_OFFSET) == runSource;
    }

    /** Lands as much of a message of the run as the quantum allows. Later visits land the rest. */
    private int land(long slot) {
        final long sourceOffset = memory.getLong(slot + Descriptor.SOURCE_OFFSET_OFFSET);
        final long targetOffset = memory.getLong(slot + Descriptor.TARGET_OFFSET_OFFSET);
        final long length = memory.getLong(slot + Descriptor.LENGTH_OFFSET);
        final long done = visit.partialBytes;
        if (length < done) {
            // The length is negative, or the descriptor was overwritten after it was begun.
            return Refusal.BAD_LENGTH.code();
        }
        if (!operand.admits(sourceOffset, length)) {
            return Refusal.SOURCE_OUT_OF_BOUNDS.code();
        }
        // The whole range must fit: a message that does not is refused before its first byte.
        if (!landing.admits(targetOffset, length)) {
            return Refusal.TARGET_OUT_OF_BOUNDS.code();
        }
        final long part = Math.min(length - done, visit.quantumBytes);
        landing.land(arena, operand.base() + sourceOffset + done, targetOffset + done, part);
        visit.moved(part);
        return visit.part(done + part, length);
    }
}
