package org.segno.collective;

import org.jspecify.annotations.Nullable;

/**
 * Properties of a call that determine its schedule. They are equal at all members, except {@code self}, {@code
 * inPlace}, and the lengths of an all-to-all with offsets.
 *
 * @param kind of the collective
 * @param members number of members, 1 or more
 * @param self this member
 * @param root the root, or 0
 * @param lengths of the blocks; of the one block that all have, unless the collective is divided
 * @param offsets landing offsets of blocks of different lengths in an all-to-all; otherwise null
 * @param element length of an element of a reduction in bytes, otherwise 1
 * @param isOrdered true if contributions must be combined in the order of the members
 * @param hosts of the members
 * @param inPlace true if this member's contribution and its result begin at the same byte
 */
public record Shape(
        CollectiveKind kind,
        int members,
        int self,
        int root,
        Lengths lengths,
        @Nullable BlockOffsets offsets,
        int element,
        boolean isOrdered,
        Hosts hosts,
        boolean inPlace) {
    private static final int LINE = 64;

    /** Returns the length of the block of all, for a collective that is not divided. */
    public long bytes() {
        return lengths.length(0);
    }

    /** Returns the bytes to the end of the last block, or of the one block of a collective that is not divided. */
    public long total() {
        return kind.isDivided() ? lengths.total(members) : bytes();
    }

    /** Returns the sum of the blocks' lengths; for a collective that is not divided, the length of its block. */
    public long moved() {
        long sum = kind.isDivided() ? 0 : bytes();
        for (int member = 0; member < members && kind.isDivided(); member++) {
            sum += length(member);
        }
        return sum;
    }

    /** Returns the offset of a member's block from the start of the first. */
    public long offset(int member) {
        return lengths.offset(member);
    }

    /** Returns the length of a member's block. */
    public long length(int member) {
        return lengths.length(member);
    }

    /** Returns the member that lies {@code distance} behind another one, around the end. */
    public int after(int member, int distance) {
        return Math.floorMod(member + distance, members);
    }

    /** Returns the number of this member if the root were the first one. */
    public int relative() {
        return after(self, -root);
    }

    /** Returns the member with a number relative to the root. */
    public int absolute(int relative) {
        return after(relative, root);
    }

    /** Returns the lengths of the blocks that arrive at this member in an exchange. */
    public Lengths arriving() {
        return offsets == null ? lengths : offsets.received();
    }

    /** Returns the offset at which this member's block lands in the result of another one in an exchange. */
    public long offsetAt(int member) {
        return offsets == null ? offset(self) : offsets.offsetAt(member);
    }

    /** Returns the number of bytes and counts that arrive if each other member sends its block. */
    public long countedOthers(Lengths blocks) {
        long sum = 0;
        for (int member = 0; member < members; member++) {
            sum += member == self ? 0 : Schedule.counted(blocks.length(member));
        }
        return sum;
    }

    /**
     * Returns the block of one of several members into which the elements of a reduction are divided evenly, as whole
     * cache lines.
     */
    Lengths divided() {
        return Lengths.evenly(bytes(), members, unit(element));
    }

    /** Returns the bytes of which a division of elements leaves whole ones together: a cache line or an element. */
    static long unit(int element) {
        return Math.max(element, LINE);
    }
}
