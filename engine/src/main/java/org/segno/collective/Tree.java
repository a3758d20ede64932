package org.segno.collective;

import java.util.ArrayList;
import java.util.List;

/** Trees over the members of a collective with a root. */
enum Tree {
    /**
     * Members are numbered from the root, 0. The children of a member are those that differ from it in one of the bits
     * below its lowest set bit.
     */
    BINOMIAL {
        @Override
        int parent(Shape shape) {
            return shape.absolute(shape.relative() & (shape.relative() - 1));
        }

        @Override
        List<Integer> children(Shape shape) {
            final int self = shape.relative();
            final List<Integer> children = new ArrayList<>();
            final int limit = self == 0 ? Integer.highestOneBit(shape.members()) << 1 : Integer.lowestOneBit(self);
            for (int bit = limit >> 1; bit > 0; bit >>= 1) {
                if (self + bit < shape.members()) {
                    children.add(shape.absolute(self + bit));
                }
            }
            return children;
        }
    },

    /**
     * Members are numbered from the root, 0, in digits of base 4. The children of a member are those that differ from
     * it in one of the digits below its lowest digit that is not 0. It is the binomial tree with half as many levels,
     * and up to three children for each.
     */
    K_NOMIAL {
        @Override
        int parent(Shape shape) {
            final int self = shape.relative();
            return shape.absolute(self & -(lowestUnit(self) << DIGIT_BITS));
        }

        @Override
        List<Integer> children(Shape shape) {
            final int self = shape.relative();
            final List<Integer> children = new ArrayList<>();
            int unit = self == 0 ? 1 << (Integer.SIZE - DIGIT_BITS) : lowestUnit(self);
            for (unit >>>= DIGIT_BITS; unit > 0; unit >>>= DIGIT_BITS) {
                for (int digit = 1; digit < 1 << DIGIT_BITS && self + digit * unit < shape.members(); digit++) {
                    children.add(shape.absolute(self + digit * unit));
                }
            }
            return children;
        }

        /** Returns 1 at the lowest digit that is not 0. */
        private int lowestUnit(int number) {
            final int digit = Integer.numberOfTrailingZeros(number) / DIGIT_BITS;
            return 1 << (digit * DIGIT_BITS);
        }
    },

    /** Every member has the next one as its only child. */
    LINE {
        @Override
        int parent(Shape shape) {
            return shape.after(shape.self(), -1);
        }

        @Override
        List<Integer> children(Shape shape) {
            final int next = shape.after(shape.self(), 1);
            return next == shape.root() ? List.of() : List.of(next);
        }
    },

    /** All are children of the root. */
    STAR {
        @Override
        int parent(Shape shape) {
            return shape.root();
        }

        @Override
        List<Integer> children(Shape shape) {
            final List<Integer> children = new ArrayList<>();
            for (int child = 1; shape.self() == shape.root() && child < shape.members(); child++) {
                children.add(shape.absolute(child));
            }
            return children;
        }
    },

    /**
     * The children of the root are the leaders of the other hosts, and the members on its own one. Those of a leader
     * are the members on its host.
     */
    HOSTS {
        @Override
        int parent(Shape shape) {
            final int leader = shape.hosts().leader(shape.self());
            final boolean isRootsHost = leader == shape.hosts().leader(shape.root());
            return isRootsHost || shape.self() == leader ? shape.root() : leader;
        }

        @Override
        List<Integer> children(Shape shape) {
            final int self = shape.self();
            final int leader = shape.hosts().leader(self);
            final List<Integer> children = new ArrayList<>();
            if (self == shape.root()) {
                for (final int other : shape.hosts().leaders()) {
                    if (other != leader) {
                        children.add(other);
                    }
                }
            } else if (self != leader || leader == shape.hosts().leader(shape.root())) {
                return children;
            }
            for (final int member : shape.hosts().beside(self)) {
                if (member != self) {
                    children.add(member);
                }
            }
            return children;
        }
    };

    private static final int DIGIT_BITS = 2;

    /** Returns the parent of the member {@code shape.self()}, which is not the root. */
    abstract int parent(Shape shape);

    /** Returns the children of the member {@code shape.self()}, those with the largest subtrees first. */
    abstract List<Integer> children(Shape shape);
}
