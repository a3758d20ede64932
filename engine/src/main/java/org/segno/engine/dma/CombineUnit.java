package org.segno.engine.dma;

import java.util.Objects;
import org.agrona.concurrent.UnsafeBuffer;
import org.jspecify.annotations.Nullable;
import org.segno.combine.ElementType;
import org.segno.combine.Operator;
import org.segno.combine.UserOperator;
import org.segno.engine.descriptor.Descriptor;
import org.segno.engine.descriptor.Operation;
import org.segno.engine.landing.Landing;
import org.segno.engine.memory.Memory;
import org.segno.engine.memory.NodeMemory;
import org.segno.engine.memory.SeenEntry;
import org.segno.engine.memory.WindowTable;
import org.segno.status.Refusal;

/**
 * Executor of COMBINE, in parts of at most the quantum. The elements of earlier parts are complete when a later part is
 * refused. Used only by the engine's thread.
 */
final class CombineUnit {
    /** Flags that have a meaning only with a third operand. */
    private static final int THIRD_FLAGS = Descriptor.THIRD_COUNTER | Descriptor.ALTERNATE_THIRD;

    /** Maximum length of a part in bytes. The buffers of user operators have lengths of 32 bits. */
    private static final long PART_LIMIT = 1 << 20;

    private static final long NOTHING = -1;

    private final Memory memory;
    private final Memory arena;
    private final LocalOperand source;
    private final LocalOperand target;
    private final LocalOperand third;
    private final Targets targets;
    private final Visit visit;
    private final RefusalReport report;
    private final CombineFunctions functions;
    private final UnsafeBuffer left = new UnsafeBuffer(0, 0);
    private final UnsafeBuffer right = new UnsafeBuffer(0, 0);
    private final UnsafeBuffer result = new UnsafeBuffer(0, 0);

    // The descriptor that is being executed, as validated. Offsets are those in the arena.
    private ElementType type = ElementType.BYTE;
    private @Nullable Operator operator;
    private @Nullable UserOperator userOperator;
    private long targetAt;
    private long leftAt;
    private long rightAt;
    private long length;
    private int injectionCounter;

    /** Slot of the descriptor that was validated before its execution, or {@link #NOTHING}. */
    private long prepared = NOTHING;

    CombineUnit(
            NodeMemory node,
            WindowTable windows,
            Targets targets,
            Visit visit,
            RefusalReport report,
            CombineFunctions functions) {
        this.memory = node.owner();
        this.arena = node.arena();
        this.source = new LocalOperand(node, windows, visit);
        this.target = new LocalOperand(node, windows, visit);
        this.third = new LocalOperand(node, windows, visit);
        this.targets = targets;
        this.visit = visit;
        this.report = report;
        this.functions = functions;
    }

    /**
     * Validates the descriptor in a slot if it is a COMBINE, so that it is carried out sooner if that happens in the
     * same visit.
     */
    void prepare(long slot) {
        final long head = memory.getLong(slot);
        if (Descriptor.operation(head) == Operation.COMBINE && validate(slot, head) == Landing.LANDED) {
            prepared = slot;
        }
    }

    /** Forgets what {@link #prepare} has validated. Called at the beginning of each visit. */
    void forget() {
        prepared = NOTHING;
    }

    /** Combines as much as the quantum allows. Later visits combine the rest. */
    int execute(long slot, long head) {
        final int valid = slot == prepared ? Landing.LANDED : validate(slot, head);
        forget();
        if (valid != Landing.LANDED) {
            return valid;
        }
        final long done = visit.partialBytes;
        if (length < done || !isWhole(done)) {
            // The descriptor was overwritten after it was begun.
            return Refusal.BAD_LENGTH.code();
        }
        // One element at least, or a quantum below its length would never end.
        final long room = Math.max(Math.min(visit.quantumBytes, PART_LIMIT) & -type.length(), type.length());
        final int part = (int) Math.min(length - done, room);
        final int combined = part == 0 ? Landing.LANDED : combine(done, part);
        if (combined != Landing.LANDED) {
            return combined;
        }
        visit.moved(part);
        targets.injected(injectionCounter, part);
        return visit.part(done + part, length);
    }

    /** Returns the COMBINE in a slot as validated. Null if it is refused, or has an operator of the application. */
    @Nullable
    Decoded decode(long slot, long head) {
        final long into = memory.getLong(slot + Descriptor.TARGET_OFFSET);
        final long from = memory.getLong(slot + Descriptor.SOURCE_OPERAND_OFFSET);
        final SeenEntry seenSource = source.seenSource(head, Descriptor.window(from));
        final SeenEntry seenTarget = target.seenTarget(head, Descriptor.window(into));
        final SeenEntry seenThird = Descriptor.has(head, Descriptor.THIRD)
                ? third.seenThird(head, memory.getInt(slot + Descriptor.COMPARAND_OFFSET))
                : seenSource;
        if (seenSource == null || seenTarget == null || seenThird == null) {
            return null;
        }
        final int valid = validate(slot, head);
        final Operator known = operator;
        if (valid != Landing.LANDED || known == null || length > PART_LIMIT) {
            return null;
        }
        return new DecodedCombine(
                new DecodedCombine.Operands(seenSource, seenTarget, seenThird, targetAt, leftAt, rightAt),
                new DecodedCombine.Function(functions.arithmetic(), type, known, (int) length),
                targets,
                injectionCounter);
    }

    private int validate(long slot, long head) {
        prepared = NOTHING;
        final long into = memory.getLong(slot + Descriptor.TARGET_OFFSET);
        final long from = memory.getLong(slot + Descriptor.SOURCE_OPERAND_OFFSET);
        length = memory.getLong(slot + Descriptor.LENGTH_OFFSET);
        injectionCounter = Descriptor.injectionCounter(from);
        final int known = select(head, into);
        final int opened = known == Landing.LANDED ? open(slot, head, Descriptor.window(into), from) : known;
        final int located = opened == Landing.LANDED ? locate(slot, head) : opened;
        return located != Landing.LANDED || targets.isInjectionCounter(injectionCounter)
                ? located
                : Refusal.NO_SUCH_COUNTER.code();
    }

    /** Selects type and operator. */
    private int select(long head, long into) {
        final boolean hasThird = Descriptor.has(head, Descriptor.THIRD);
        if (Descriptor.reserved(head) != 0 || Descriptor.has(head, hasThird ? Descriptor.REVERSED : THIRD_FLAGS)) {
            return Refusal.UNKNOWN_OPERATION.code();
        }
        final ElementType known = ElementType.of(Descriptor.elementType(into));
        if (known == null) {
            return Refusal.UNKNOWN_TYPE.code();
        }
        type = known;
        final int code = Descriptor.operator(into);
        final Operator builtIn = Operator.of(code);
        operator = builtIn;
        if (builtIn != null) {
            return builtIn.appliesTo(known) ? Landing.LANDED : Refusal.UNKNOWN_OPERATOR.code();
        }
        userOperator = functions.operators().get(code - Descriptor.FIRST_USER_OPERATOR);
        if (userOperator != null) {
            return Landing.LANDED;
        }
        return Descriptor.isUserOperator(code) ? Refusal.NO_SUCH_OPERATOR.code() : Refusal.UNKNOWN_OPERATOR.code();
    }

    /** Opens the operands. */
    private int open(long slot, long head, int into, long from) {
        final int sourceOpened = source.openSource(head, Descriptor.window(from));
        if (sourceOpened != Landing.LANDED) {
            return sourceOpened;
        }
        final int targetOpened = target.openTarget(head, into);
        return targetOpened == Landing.LANDED && Descriptor.has(head, Descriptor.THIRD)
                ? third.openThird(head, memory.getInt(slot + Descriptor.COMPARAND_OFFSET))
                : targetOpened;
    }

    /** Checks the ranges of the operands, and computes their places in the arena. */
    private int locate(long slot, long head) {
        final long sourceOffset = memory.getLong(slot + Descriptor.SOURCE_OFFSET_OFFSET);
        final long targetOffset = memory.getLong(slot + Descriptor.TARGET_OFFSET_OFFSET);
        final long thirdOffset = memory.getLong(slot + Descriptor.OPERAND_OFFSET);
        final boolean hasThird = Descriptor.has(head, Descriptor.THIRD);
        if (!isWhole(length)) {
            return Refusal.BAD_LENGTH.code();
        }
        final int checked = source.check(sourceOffset, length);
        if (checked != Landing.LANDED) {
            return checked;
        }
        if (!target.admits(targetOffset, length)) {
            return Refusal.TARGET_OUT_OF_BOUNDS.code();
        }
        if (hasThird && !third.admits(thirdOffset, length)) {
            return Refusal.SOURCE_OUT_OF_BOUNDS.code();
        }
        final long sourceAt = source.base() + sourceOffset;
        targetAt = target.base() + targetOffset;
        final boolean isLeft = hasThird || Descriptor.has(head, Descriptor.REVERSED);
        leftAt = isLeft ? sourceAt : targetAt;
        rightAt = hasThird ? third.base() + thirdOffset : isLeft ? targetAt : sourceAt;
        return overlap(targetAt, leftAt) || overlap(targetAt, rightAt) || overlap(leftAt, rightAt)
                ? Refusal.OVERLAPPING.code()
                : Landing.LANDED;
    }

    private boolean isWhole(long bytes) {
        return (bytes & (type.length() - 1)) == 0;
    }

    /** Returns true if two ranges in the arena overlap and are not equal. */
    private boolean overlap(long one, long other) {
        return one != other && Math.abs(one - other) < length;
    }

    private int combine(long done, int part) {
        final Operator known = operator;
        if (known == null) {
            return combineByUser(done, part);
        }
        functions.arithmetic().combine(type, known, part, targetAt + done, leftAt + done, rightAt + done);
        return Landing.LANDED;
    }

    private int combineByUser(long done, int part) {
        arena.wrap(left, leftAt + done, part);
        arena.wrap(right, rightAt + done, part);
        arena.wrap(result, targetAt + done, part);
        try {
            Objects.requireNonNull(userOperator).combine(type, left, right, result, part / type.length());
            return Landing.LANDED;
        } catch (final Exception e) {
            // A checked one, too: compilers of other languages let it pass.
            report.thrown(e);
            return Refusal.OPERATOR_FAILED.code();
        }
    }
}
