package org.segno.combine;

import org.jspecify.annotations.Nullable;

/**
 * Types of the elements that {@code Context.combine} combines, in the byte order of the machine. An element need not be
 * aligned.
 *
 * <p>A pair has a value, which an operator compares, and an index: an {@code int}, for example the rank that the value
 * is from. Bytes between the two are padding, and are copied with them.
 */
public enum ElementType {
    BYTE(1, 1),
    SHORT(2, 2),
    INT(3, 4),
    LONG(4, 8),
    FLOAT(5, 4),
    DOUBLE(6, 8),

    /** A {@code byte}, and an index at 4. */
    BYTE_PAIR(17, 8),

    /** A {@code short}, and an index at 4. */
    SHORT_PAIR(18, 8),

    /** An {@code int}, and an index at 4. */
    INT_PAIR(19, 8),

    /** A {@code long}, and an index at 8. */
    LONG_PAIR(20, 16),

    /** A {@code float}, and an index at 4. */
    FLOAT_PAIR(21, 8),

    /** A {@code double}, and an index at 8. */
    DOUBLE_PAIR(22, 16);

    private static final int FIRST_PAIR = 17;
    private static final @Nullable ElementType[] BY_CODE = byCode();

    private final int code;
    private final int length;

    ElementType(int code, int length) {
        this.code = code;
        this.length = length;
    }

    private static @Nullable ElementType[] byCode() {
        final @Nullable ElementType[] all = new ElementType[Byte.MAX_VALUE + 1];
        for (final ElementType type : values()) {
            all[type.code] = type;
        }
        return all;
    }

    /** Returns the number of the type in a descriptor. */
    public int code() {
        return code;
    }

    /** Returns the length of an element in bytes, a power of two. */
    public int length() {
        return length;
    }

    /** Returns true for a value with an index. */
    public boolean isPair() {
        return code >= FIRST_PAIR;
    }

    /** Returns the offset of the index in a pair, in bytes. */
    public int indexOffset() {
        return length / 2;
    }

    /** Returns true for integers, which have logical and bitwise operators. */
    public boolean isInteger() {
        return code <= LONG.code;
    }

    /** Returns the type with a code, or null if there is none. */
    public static @Nullable ElementType of(int code) {
        return code >= 0 && code < BY_CODE.length ? BY_CODE[code] : null;
    }
}
