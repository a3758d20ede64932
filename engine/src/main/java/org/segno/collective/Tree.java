package org.segno.collective;

import java.util.ArrayList;
import java.util.List;

/** Trees over members that are numbered from the root, 0. */
enum Tree {
    /** The children of a member are those that differ from it in one of the bits below its lowest set bit. */
    BINOMIAL {
        @Override
        int parent(int member) {
            return member & (member - 1);
        }

        @Override
        List<Integer> children(int member, int members) {
            final List<Integer> children = new ArrayList<>();
            final int limit = member == 0 ? Integer.highestOneBit(members) << 1 : Integer.lowestOneBit(member);
            for (int bit = limit >> 1; bit > 0; bit >>= 1) {
                if (member + bit < members) {
                    children.add(member + bit);
                }
            }
            return children;
        }
    },

    /** Every member has the next one as its only child. */
    LINE {
        @Override
        int parent(int member) {
            return member - 1;
        }

        @Override
        List<Integer> children(int member, int members) {
            return member + 1 < members ? List.of(member + 1) : List.of();
        }
    },

    /** All are children of the root. */
    STAR {
        @Override
        int parent(int member) {
            return 0;
        }

        @Override
        List<Integer> children(int member, int members) {
            final List<Integer> children = new ArrayList<>();
            for (int child = 1; member == 0 && child < members; child++) {
                children.add(child);
            }
            return children;
        }
    };

    /** Returns the parent of a member other than the root. */
    abstract int parent(int member);

    /** Returns the children of a member, those with the largest subtrees first. */
    abstract List<Integer> children(int member, int members);
}
