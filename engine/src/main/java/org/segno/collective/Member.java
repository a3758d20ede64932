package org.segno.collective;

import java.util.function.IntPredicate;
import org.jspecify.annotations.Nullable;

/**
 * The member for which the shape of a call is determined.
 *
 * @param number of this member
 * @param hosts of all members
 * @param commutes returns true for the number of a user operator that is commutative; equal at all members
 */
record Member(int number, Hosts hosts, IntPredicate commutes) {
    /** Returns true if contributions must be combined in the order of the members. */
    boolean isOrdered(@Nullable Reduction reduction) {
        return reduction != null && !reduction.isCommutative(commutes);
    }
}
