package org.segno.collective;

import java.util.Arrays;
import org.agrona.DirectBuffer;

/**
 * The hosts of a geometry's members. Members on one host map each other's memory; links join the others. The first
 * member on a host is its leader. Immutable.
 */
public final class Hosts {
    /** Leader of the host of each member. */
    private final int[] leaders;

    private final boolean several;
    private final boolean shared;
    private final boolean contiguous;

    private Hosts(int[] leaders) {
        this.leaders = leaders;
        boolean isSeveral = false;
        boolean isShared = false;
        boolean isContiguous = true;
        for (int member = 0; member < leaders.length; member++) {
            isSeveral |= leaders[member] != leaders[0];
            isShared |= leaders[member] != member;
            isContiguous &= leaders[member] == member || leaders[member] == leaders[member - 1];
        }
        this.several = isSeveral;
        this.shared = isShared;
        this.contiguous = isContiguous;
    }

    /**
     * Returns the hosts of members.
     *
     * @param names number of the host of each, equal for members on one host
     */
    static Hosts of(int... names) {
        final int[] leaders = new int[names.length];
        for (int member = 0; member < names.length; member++) {
            int leader = 0;
            while (names[leader] != names[member]) {
                leader++;
            }
            leaders[member] = leader;
        }
        return new Hosts(leaders);
    }

    /** Returns the hosts of members that have agreed on the creation of their geometry. */
    static Hosts proposed(DirectBuffer[] proposals) {
        final int[] names = new int[proposals.length];
        for (int member = 0; member < names.length; member++) {
            names[member] = Proposal.host(proposals[member]);
        }
        return of(names);
    }

    /** Returns the hosts of some members, in a new order. */
    Hosts of(Iterable<Integer> members, int count) {
        final int[] names = new int[count];
        int next = 0;
        for (final int member : members) {
            names[next++] = leaders[member];
        }
        return of(names);
    }

    /** Returns one host for all of {@code members}. */
    static Hosts one(int members) {
        return new Hosts(new int[members]);
    }

    /** Returns the number of members. */
    public int members() {
        return leaders.length;
    }

    /** Returns true if there are several hosts, and several members on at least one of them. */
    public boolean areMixed() {
        return several && shared;
    }

    /** Returns true if all members are on one host. */
    public boolean isOne() {
        return !several;
    }

    /** Returns true if the members of each host adjoin. */
    public boolean areContiguous() {
        return contiguous;
    }

    /** Returns the first member on the host of {@code member}. */
    public int leader(int member) {
        return leaders[member];
    }

    /** Returns the leaders of all hosts, in ascending order. */
    public int[] leaders() {
        return Arrays.stream(leaders).distinct().toArray();
    }

    /** Returns the members on the host of {@code member}, itself included, in ascending order. */
    public int[] beside(int member) {
        final int leader = leaders[member];
        int count = 0;
        final int[] members = new int[leaders.length];
        for (int other = leader; other < leaders.length; other++) {
            if (leaders[other] == leader) {
                members[count++] = other;
            }
        }
        return Arrays.copyOf(members, count);
    }
}
