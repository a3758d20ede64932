package org.segno.engine.dma;

import org.jspecify.annotations.Nullable;
import org.segno.engine.descriptor.Descriptor;
import org.segno.engine.descriptor.Operation;
import org.segno.engine.fifo.FifoService;
import org.segno.engine.fifo.FifoTrace;
import org.segno.engine.fifo.InjectionFifoConsumer;
import org.segno.engine.landing.AdmittedCounter;
import org.segno.engine.landing.Landing;
import org.segno.engine.memory.Memory;
import org.segno.engine.memory.NodeMemory;
import org.segno.engine.memory.WindowTable;
import org.segno.status.Refusal;

/**
 * Executor of descriptors, in order. Used only by the engine's thread.
 *
 * <p>A field of a descriptor is used as it was read and validated, whatever another process writes there meanwhile. A
 * descriptor that cannot be carried out is reported and skipped.
 */
final class DescriptorUnit {
    /** Pseudo-operation for one on another node to which the FIFO has no link. No descriptor can contain it. */
    private static final int MASKED = -1;

    /** Pseudo-operation for one on a node that the FIFO reaches over a link. */
    private static final int LINKED = -2;

    private static final int COPY_FLAGS =
            Descriptor.ALTERNATE | Descriptor.TARGET_COUNTER | Descriptor.SOURCE_COUNTER | Descriptor.ALTERNATE_SOURCE;

    private static final int NOT_MAPPED = Refusal.NOT_MAPPED.code();
    private static final int PEER_LEFT = Refusal.PEER_LEFT.code();

    private final Memory memory;
    private final Memory arena;
    private final LocalOperand copySource;
    private final LocalOperand copyTarget;
    private final Targets targets;
    private final Visit visit;
    private final PutUnit puts;
    private final SendUnit sends;
    private final MulticastUnit multicasts;
    private final GetUnit gets;
    private final RmwUnit atomics;
    private final WaitUnit waits;
    private final CombineUnit combinations;
    private final RefusalReport report;
    private final @Nullable TransmitUnit links;
    private final DecodedSections decoded;

    DescriptorUnit(
            NodeMemory node,
            CombineFunctions functions,
            Targets targets,
            Visit visit,
            RefusalReport report,
            @Nullable TransmitUnit links) {
        final WindowTable windows = new WindowTable(node);
        this.links = links;
        this.memory = node.owner();
        this.arena = node.arena();
        this.copySource = new LocalOperand(node, windows, visit);
        this.copyTarget = new LocalOperand(node, windows, visit);
        this.targets = targets;
        this.visit = visit;
        this.report = report;
        this.puts = new PutUnit(node, windows, targets, visit);
        this.sends = new SendUnit(node, windows, targets, visit);
        this.multicasts = new MulticastUnit(node, windows, targets, visit, report, links);
        this.gets = new GetUnit(node, windows, targets, visit);
        this.atomics = new RmwUnit(node, windows, targets, visit);
        this.combinations = new CombineUnit(node, windows, targets, visit, report, functions);
        this.waits = new WaitUnit(node, targets, visit, combinations, links == null);
        this.decoded = new DecodedSections(memory, this);
    }

    /**
     * Carries out at most {@code limit} descriptors from the head of {@code fifo}. Those of one kind that follow each
     * other are carried out together, because a descriptor of one kind is seldom alone.
     *
     * <p>This method is larger than what the compiler inlines, so that its limits of depth and size count from here on,
     * whatever an application's own calls leave of them. Otherwise the accesses in the innermost loops would be calls
     * in some programs.
     *
     * @return the number of completed descriptors; less than the available number if one found no room or the quantum
     *     ended within it
     */
    int execute(InjectionFifoConsumer fifo, int limit) {
        final long first = fifo.head();
        long end = Math.min(fifo.tail(), first + limit);
        long position = first;
        visit.load(fifo);
        combinations.forget();
        final DecodedSection section =
                fifo.service().isPersistent() && !fifo.service().isMasked()
                        ? decoded.of(fifo, visit.alternate())
                        : null;
        while (position != end && visit.quantumBytes > 0) {
            final long done = section == null
                            || visit.partialBytes != 0
                            || !fifo.requests().isEmpty()
                    ? position
                    : section.run(position, end, visit);
            if (done != position || visit.result != Landing.LANDED) {
                position = done;
            } else {
                final long head = memory.getLong(fifo.slot(position));
                if (links != null && links.awaitsReplies(fifo, head)) {
                    break;
                }
                position =
                        switch (fifo.service().isMasked() ? masked(fifo.service(), head) : Descriptor.operation(head)) {
                            case MASKED -> visit.stop(position, Refusal.LINK_MASKED.code());
                            case LINKED -> visit.stop(position, NOT_MAPPED);
                            case Operation.SEND -> sends.run(fifo, position, end);
                            case Operation.PUT -> puts.run(fifo, position, end);
                            case Operation.MULTICAST -> multicasts.run(fifo, position, end);
                            case Operation.REMOTE_GET -> gets.run(fifo, position, end);
                            default -> single(fifo, position, head);
                        };
                if (visit.result == NOT_MAPPED && links != null) {
                    position = links.run(fifo, position, end);
                }
            }
            if (visit.result == Landing.LANDED) {
                visit.partialBytes = 0;
            } else if (refuse(fifo, position)) {
                position++;
                // A failed WAIT or COMBINE ends its run.
                end = Math.min(end, fifo.tail());
            } else {
                break;
            }
        }
        final FifoTrace trace = fifo.service().trace();
        if (trace != null && position != first) {
            trace.executed(fifo, first, position);
        }
        fifo.advance(position, visit.partialBytes);
        return (int) (position - first);
    }

    /** Returns the executor of SENDs. */
    SendUnit sends() {
        return sends;
    }

    /** Returns the executor of RMWs. */
    RmwUnit atomics() {
        return atomics;
    }

    /**
     * Returns the descriptor in a slot as validated, or null if it cannot be carried out in this way.
     *
     * @param following slot of the next descriptor, or a value below zero if this one is the last
     */
    @Nullable
    Decoded decode(long slot, long following) {
        final long head = memory.getLong(slot);
        return switch (Descriptor.operation(head)) {
            case Operation.PUT -> puts.decode(slot, following);
            case Operation.WAIT -> waits.decode(slot, head);
            case Operation.COMBINE -> combinations.decode(slot, head);
            case Operation.COUNT, Operation.ARM -> decodeCount(slot, head);
            default -> null;
        };
    }

    private @Nullable Decoded decodeCount(long slot, long head) {
        final boolean isArm = Descriptor.operation(head) == Operation.ARM;
        final Landing landing = isArm ? targets.self() : targets.landing(Descriptor.rank(head));
        if (landing == null || !Descriptor.hasOnly(head, Descriptor.ALTERNATE)) {
            return null;
        }
        final long target = memory.getLong(slot + Descriptor.TARGET_OFFSET);
        final AdmittedCounter admitted =
                landing.admitted(visit.counter(head, target), Descriptor.incarnation(target), isArm);
        return admitted == null
                ? null
                : new DecodedCount(admitted, memory.getLong(slot + Descriptor.TARGET_OFFSET_OFFSET));
    }

    /** Skips the descriptor at {@code position} if it was refused. Returns false if a later visit continues it. */
    private boolean refuse(InjectionFifoConsumer fifo, long position) {
        final int result = visit.result;
        visit.result = Landing.LANDED;
        if (result == Landing.NO_ROOM || result == Visit.PARTIAL || result == Visit.HELD) {
            return false;
        }
        final long slot = fifo.slot(position);
        final long head = memory.getLong(slot);
        final boolean isDropped = result == PEER_LEFT && drop(slot, head);
        visit.partialBytes = 0;
        if (isDropped) {
            return true;
        }
        final boolean isWait = Descriptor.operation(head) == Operation.WAIT;
        final boolean endsRun = isWait || Descriptor.operation(head) == Operation.COMBINE;
        report.refuse(fifo, slot, isWait ? Descriptor.head(Operation.WAIT, 0, waits.refusedBy()) : head, result);
        final FifoTrace trace = fifo.service().trace();
        if (trace != null) {
            trace.refused(fifo, position, result, endsRun);
        }
        if (endsRun) {
            // The descriptors after it must not be carried out: they depend on the data that the WAIT waits for, or
            // send what the COMBINE has not completed.
            fifo.abandonRun(position);
        }
        return true;
    }

    /**
     * Completes a descriptor for a rank that has left, which does nothing there any more. Returns false for one that
     * needs a reply.
     */
    private boolean drop(long slot, long head) {
        final int operation = Descriptor.operation(head);
        final boolean isInline = operation == Operation.SEND && Descriptor.has(head, Descriptor.IMMEDIATE);
        if (operation == Operation.COUNT || isInline) {
            return true;
        }
        final int counter = Descriptor.injectionCounter(memory.getLong(slot + Descriptor.SOURCE_OPERAND_OFFSET));
        final long rest = memory.getLong(slot + Descriptor.LENGTH_OFFSET) - visit.partialBytes;
        final boolean isOneWay = operation == Operation.PUT || operation == Operation.SEND;
        if (!isOneWay || rest < 0 || !targets.isInjectionCounter(counter)) {
            return false;
        }
        targets.injected(counter, rest);
        return true;
    }

    /** Returns the operation of a descriptor in a FIFO that may not reach every node. */
    private int masked(FifoService service, long head) {
        final int operation = Descriptor.operation(head);
        return switch (operation) {
            // A MULTICAST checks each of its targets.
            case Operation.COPY, Operation.COMBINE, Operation.ARM, Operation.WAIT, Operation.MULTICAST -> operation;
            default -> {
                final boolean isLinked = links != null && links.reaches(Descriptor.rank(head));
                yield service.excludes(isLinked) ? MASKED : isLinked ? LINKED : operation;
            }
        };
    }

    private long single(InjectionFifoConsumer fifo, long position, long head) {
        final long slot = fifo.slot(position);
        final int result = switch (Descriptor.operation(head)) {
            case Operation.COUNT -> count(slot, head);
            case Operation.RMW -> atomics.execute(slot, head);
            case Operation.COPY -> copy(slot, head);
            case Operation.COMBINE -> combinations.execute(slot, head);
            case Operation.ARM -> arm(slot, head);
            case Operation.WAIT -> waits.hold(slot, head, position + 1 < fifo.tail() ? fifo.slot(position + 1) : -1);
            default -> Refusal.UNKNOWN_OPERATION.code();
        };
        return result == Landing.LANDED ? position + 1 : visit.stop(position, result);
    }

    private int count(long slot, long head) {
        final int rank = Descriptor.rank(head);
        final Landing landing = targets.landing(rank);
        if (landing == null) {
            return targets.missing(rank);
        }
        if (!Descriptor.hasOnly(head, Descriptor.ALTERNATE)) {
            return Refusal.UNKNOWN_OPERATION.code();
        }
        final long target = memory.getLong(slot + Descriptor.TARGET_OFFSET);
        final long amount = memory.getLong(slot + Descriptor.TARGET_OFFSET_OFFSET);
        return landing.count(visit.counter(head, target), Descriptor.incarnation(target), amount);
    }

    private int arm(long slot, long head) {
        final long target = memory.getLong(slot + Descriptor.TARGET_OFFSET);
        final long amount = memory.getLong(slot + Descriptor.TARGET_OFFSET_OFFSET);
        if (Descriptor.hasExactly(head, Descriptor.INJECTION)) {
            final int counter = Descriptor.counter(target);
            if (counter < 0 || !targets.isInjectionCounter(counter)) {
                return Refusal.NO_SUCH_COUNTER.code();
            }
            targets.injected(counter, -amount);
            return Landing.LANDED;
        }
        if (!Descriptor.hasOnly(head, Descriptor.ALTERNATE)) {
            return Refusal.UNKNOWN_OPERATION.code();
        }
        return targets.self().arm(visit.counter(head, target), Descriptor.incarnation(target), amount);
    }

    private int copy(long slot, long head) {
        final long from = memory.getLong(slot + Descriptor.SOURCE_OPERAND_OFFSET);
        final long into = memory.getLong(slot + Descriptor.TARGET_OFFSET);
        final long sourceOffset = memory.getLong(slot + Descriptor.SOURCE_OFFSET_OFFSET);
        final long targetOffset = memory.getLong(slot + Descriptor.TARGET_OFFSET_OFFSET);
        final long length = memory.getLong(slot + Descriptor.LENGTH_OFFSET);
        if (!Descriptor.hasOnly(head, COPY_FLAGS)) {
            return Refusal.UNKNOWN_OPERATION.code();
        }
        final int sourceOpened = copySource.openSource(head, Descriptor.window(from));
        final int opened =
                sourceOpened == Landing.LANDED ? copyTarget.openTarget(head, Descriptor.window(into)) : sourceOpened;
        final int checked = opened == Landing.LANDED ? copySource.check(sourceOffset, length) : opened;
        if (checked != Landing.LANDED) {
            return checked;
        }
        if (!copyTarget.admits(targetOffset, length)) {
            return Refusal.TARGET_OUT_OF_BOUNDS.code();
        }
        final int injectionCounter = Descriptor.injectionCounter(from);
        if (!targets.isInjectionCounter(injectionCounter)) {
            return Refusal.NO_SUCH_COUNTER.code();
        }
        final long done = visit.partialBytes;
        if (length < done) {
            // The descriptor was overwritten after it was begun.
            return Refusal.BAD_LENGTH.code();
        }
        final long part = Math.min(length - done, visit.quantumBytes);
        arena.copyTo(copySource.base() + sourceOffset + done, arena, copyTarget.base() + targetOffset + done, part);
        visit.moved(part);
        targets.injected(injectionCounter, part);
        return visit.part(done + part, length);
    }
}
