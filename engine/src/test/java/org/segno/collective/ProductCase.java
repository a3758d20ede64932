package org.segno.collective;

import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.segno.combine.ElementType;
import org.segno.combine.Operator;
import org.segno.simulator.PlainCollective;

/**
 * A collective with one value of each factor of the {@link CollectiveProduct}.
 *
 * @param number different for each case, by which its contributions differ from those of others
 * @param group kind, algorithm, members and root
 * @param element index of an element of {@link #ELEMENTS}
 * @param bytes length of the one block, or of all blocks together; of each block for {@link Blocks#EACH}
 * @param blocks how bytes are divided into the blocks of members
 * @param place of the contribution and the result
 * @param hosts 1 if all members are on one host; 2 if the second half of them is on another one; 3 if each second one
 *     of them is
 * @param isSynchronous true if no data move before all members have begun the round
 */
record ProductCase(
        int number,
        Group group,
        int element,
        long bytes,
        Blocks blocks,
        Placement place,
        int hosts,
        boolean isSynchronous) {
    /** Elements of reductions: all types with all operators, and pairs with a user operator; the first is of none. */
    static final List<Element> ELEMENTS = elements();

    /** Largest value of {@code hosts}. */
    static final int MOST_HOSTS = 3;

    /** Bound of all blocks, unless one block is longer. */
    private static final long MOST_BYTES = 256 << 10;

    private static final int GAP = 48;

    /** Ways of dividing bytes into blocks. */
    enum Blocks {
        /** Each block has all the bytes, if there is room. */
        EACH,

        /** The blocks have equal lengths; except in an all-to-all, one also has what is left. */
        EVEN,

        /** The blocks have different lengths, and some none. */
        VARYING,

        /** As {@link #VARYING}, in the opposite order and with gaps. */
        PLACED
    }

    /** Places of a contribution and a result. */
    enum Placement {
        /** Memory of the collective. */
        OWN,

        /** Different places in a window. */
        APART,

        /** Different places in a window, at odd offsets. */
        UNALIGNED,

        /** One place. */
        IN_PLACE
    }

    /**
     * Factors that determine who takes part.
     *
     * @param kind of the collective
     * @param algorithm by name
     * @param members number of members
     * @param root the root, 0 for a kind without one
     */
    record Group(CollectiveKind kind, String algorithm, int members, int root) {}

    /**
     * What a reduction combines.
     *
     * @param type of the elements, null for a kind that combines nothing
     * @param operator null for the user operator
     */
    record Element(@Nullable ElementType type, @Nullable Operator operator) {
        int length() {
            return type == null ? 1 : type.length();
        }
    }

    private static List<Element> elements() {
        return Stream.concat(
                        Stream.of(new Element(null, null), new Element(ElementType.LONG_PAIR, null)),
                        Arrays.stream(ElementType.values())
                                .flatMap(type -> Arrays.stream(Operator.values())
                                        .filter(operator -> operator.appliesTo(type))
                                        .map(operator -> new Element(type, operator))))
                .toList();
    }

    CollectiveKind kind() {
        return group.kind();
    }

    int members() {
        return group.members();
    }

    /** Returns the collective with adjacent blocks, and its reference. */
    PlainCollective plain() {
        final PlainCollective plain = PlainCollective.of(number, kind(), members(), group.root(), lengths());
        final ElementType type = ELEMENTS.get(element).type();
        return type == null
                ? plain
                : plain.combining(type, ELEMENTS.get(element).operator());
    }

    private long[] lengths() {
        if (!kind().isDivided()) {
            return new long[] {bytes};
        }
        final int members = members();
        final long[] lengths = new long[members];
        if (blocks == Blocks.EACH && bytes * members <= MOST_BYTES) {
            Arrays.fill(lengths, bytes);
            return lengths;
        }
        final boolean isEven = blocks == Blocks.EACH || blocks == Blocks.EVEN;
        final int unit = ELEMENTS.get(element).length();
        long shares = 0;
        for (int member = 0; member < members; member++) {
            shares += isEven ? 1 : share(member);
        }
        long left = bytes;
        for (int member = 0; member < members; member++) {
            lengths[member] = bytes / unit * (isEven ? 1 : share(member)) / shares * unit;
            left -= lengths[member];
        }
        if (kind() != CollectiveKind.ALL_TO_ALL || !isEven) {
            lengths[members / 2] += left;
        }
        return lengths;
    }

    /** Returns the part of a member in blocks of different lengths, which may be none. */
    private int share(int member) {
        return members() == 1 ? 1 : (member + group.root() + 1) % 3;
    }

    /** Returns what a member calls, without windows. */
    Call call(int self) {
        final Call plain = plain().call(self);
        final Lengths received = plain.received();
        return new Call(
                plain.kind(),
                plain.root(),
                placed(plain.lengths()),
                received == null ? null : placed(received),
                plain.reduction(),
                null,
                0,
                null,
                0,
                group.algorithm(),
                isSynchronous);
    }

    private Lengths placed(Lengths lengths) {
        if (blocks != Blocks.PLACED || !kind().isDivided()) {
            return lengths;
        }
        final long[] offsets = new long[members()];
        long end = GAP;
        for (int member = members() - 1; member >= 0; member--) {
            offsets[member] = end;
            end += lengths.length(member) + GAP;
        }
        return lengths.at(offsets);
    }

    /** Returns the hosts of the members. */
    Hosts namedHosts() {
        final int[] names = new int[members()];
        Arrays.setAll(names, member -> hosts == MOST_HOSTS ? member % 2 : hosts * member / members());
        return Hosts.of(names);
    }

    /** Returns true if the algorithm can carry out the call. */
    boolean isValid() {
        final Call call = call(0);
        return Algorithms.named(kind(), group.algorithm())
                .isValid(Arguments.shape(
                        call,
                        new Member(0, namedHosts(), operator -> false),
                        Arguments.unknownOffsets(call, members())));
    }
}
