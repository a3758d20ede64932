package org.segno.engine.dma;

import org.segno.combine.ElementType;
import org.segno.combine.Operator;
import org.segno.engine.combine.Arithmetic;
import org.segno.engine.memory.SeenEntry;

/** A COMBINE by a built-in operator as validated. */
final class DecodedCombine extends Decoded {
    private final SeenEntry source;
    private final SeenEntry target;
    private final SeenEntry third;
    private final long targetAt;
    private final long leftAt;
    private final long rightAt;
    private final Arithmetic arithmetic;
    private final ElementType type;
    private final Operator operator;
    private final int length;
    private final Targets targets;
    private final int injectionCounter;

    /** Entries of the operands, and their places in the arena. */
    record Operands(SeenEntry source, SeenEntry target, SeenEntry third, long targetAt, long leftAt, long rightAt) {}

    /** The operator, the type of its elements, and the length of each operand in bytes. */
    record Function(Arithmetic arithmetic, ElementType type, Operator operator, int length) {}

    DecodedCombine(Operands operands, Function function, Targets targets, int injectionCounter) {
        this.source = operands.source();
        this.target = operands.target();
        this.third = operands.third();
        this.targetAt = operands.targetAt();
        this.leftAt = operands.leftAt();
        this.rightAt = operands.rightAt();
        this.arithmetic = function.arithmetic();
        this.type = function.type();
        this.operator = function.operator();
        this.length = function.length();
        this.targets = targets;
        this.injectionCounter = injectionCounter;
    }

    @Override
    int execute(Visit visit) {
        if (!source.isUnchanged() || !target.isUnchanged() || !third.isUnchanged()) {
            return CHANGED;
        }
        if (length > visit.quantumBytes) {
            return REMAINS;
        }
        arithmetic.combine(type, operator, length, targetAt, leftAt, rightAt);
        visit.moved(length);
        targets.injected(injectionCounter, length);
        return DONE;
    }
}
