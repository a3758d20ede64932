package org.segno.engine.combine;

import java.util.Map;
import org.segno.combine.ElementType;
import org.segno.combine.Operator;
import org.segno.engine.memory.Memory;

/** The operators of {@link Operator} on ranges of a node's arena. Used by one thread. */
public final class Arithmetic {
    /** Limit of the codes of types, and of those of operators. */
    private static final int CODES = 32;

    private final Memory arena;

    /** Loops for the elements of each type, and for each operator that they have, by code. */
    private final Elements[][] elements = new Elements[CODES][CODES];

    /** Creates the operators on memory of an arena. */
    public Arithmetic(Memory arena) {
        this.arena = arena;
        final Map<ElementType, Elements> numbers = Map.of(
                ElementType.BYTE, new ByteElements(),
                ElementType.SHORT, new ShortElements(),
                ElementType.INT, new IntElements(),
                ElementType.LONG, new LongElements(),
                ElementType.FLOAT, new FloatElements(),
                ElementType.DOUBLE, new DoubleElements());
        final long[] words = PackedIntegers.newResults();
        for (final ElementType type : ElementType.values()) {
            final Elements values = numbers.getOrDefault(type, new Pairs(type));
            final Elements bits = type.isInteger() ? new PackedIntegers(type.length(), words) : values;
            for (final Operator operator : Operator.values()) {
                final boolean isShortComparison = type != ElementType.LONG && operator.isOfOrder();
                elements[type.code()][operator.code()] = operator.isOfBits() || isShortComparison ? bits : values;
            }
        }
    }

    /**
     * Combines elements: {@code target = left operator right}. The ranges lie in the arena; two of them are equal or do
     * not overlap.
     *
     * @param operator one that elements of the type have
     * @param bytes a multiple of the length of an element
     */
    public void combine(ElementType type, Operator operator, int bytes, long target, long left, long right) {
        final Elements loops = elements[type.code()][operator.code()];
        final long into = arena.address(target, bytes);
        final long one = arena.address(left, bytes);
        final long other = arena.address(right, bytes);
        for (int done = 0; done < bytes; done += Elements.BLOCK) {
            final int block = Math.min(bytes - done, Elements.BLOCK);
            loops.combine(operator, into + done, one + done, other + done, block);
        }
    }
}
