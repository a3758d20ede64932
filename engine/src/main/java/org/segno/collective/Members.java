package org.segno.collective;

import java.util.Arrays;
import java.util.List;
import java.util.StringJoiner;
import java.util.function.IntFunction;
import java.util.function.IntPredicate;
import java.util.stream.Collectors;
import org.segno.context.Client;
import org.segno.context.Context;
import org.segno.geometry.Endpoint;
import org.segno.status.PeerFailedException;

/**
 * The members of a geometry in their order: ranks, or endpoints of a client. Several endpoints may be of one rank. Each
 * member has a key: its rank, and the number of its context within the client. Immutable.
 */
final class Members {
    /** Number of members that a message names. */
    private static final int NAMED = 8;

    private static final String PREFIX = "geometry.";

    /** Bits of the key for the number of the context. */
    private static final int OFFSET_BITS = Byte.SIZE;

    private static final int OFFSET_MASK = (1 << OFFSET_BITS) - 1;

    private final long[] keys;
    private final int[] ranks;
    private final boolean endpoints;

    private Members(long[] keys, boolean areEndpoints) {
        this.keys = keys;
        this.endpoints = areEndpoints;
        this.ranks = new int[keys.length];
        for (int member = 0; member < keys.length; member++) {
            ranks[member] = rankOf(keys[member]);
        }
    }

    /**
     * Returns ranks as members.
     *
     * @param self rank of this member
     * @throws IllegalArgumentException unless they are different ranks of the client, with {@code self} among them
     */
    static Members ofRanks(Client client, int self, int[] ranks) {
        final long[] keys = new long[ranks.length];
        for (int member = 0; member < keys.length; member++) {
            keys[member] = key(ranks[member], 0);
        }
        final Members members = new Members(keys, false);
        if (members.indexOf(key(self, 0)) < 0 || !members.areDifferent(client)) {
            throw new IllegalArgumentException("members must be different ranks of the client, with rank " + self
                    + " among them: members=" + Arrays.toString(ranks));
        }
        return members;
    }

    /**
     * Returns endpoints as members. Those of other ranks are not known here.
     *
     * @throws IllegalArgumentException unless they are different contexts of the client, with {@code self} among them
     */
    static Members ofEndpoints(Client client, Context self, long[] endpoints) {
        final long own = self.endpoint();
        final long[] keys = new long[endpoints.length];
        boolean areOwn = false;
        boolean areKnown = true;
        for (int member = 0; member < keys.length; member++) {
            final long endpoint = endpoints[member];
            keys[member] = key(Endpoint.task(endpoint), Endpoint.offset(endpoint));
            areOwn |= endpoint == own;
            areKnown &= Endpoint.task(endpoint) != self.rank()
                    || (Endpoint.client(endpoint) == Endpoint.client(own)
                            && Endpoint.offset(endpoint) < client.reservedContexts());
        }
        final Members members = new Members(keys, true);
        if (!areOwn || !areKnown || !members.areDifferent(client)) {
            throw new IllegalArgumentException("members must be different contexts of ranks of the client, with " + self
                    + " among them: members=" + members);
        }
        return members;
    }

    /** Returns the first contexts of each rank of a client as members, those of a rank one behind the other. */
    static Members ofContexts(Client client, Context self, int perRank) {
        if (perRank < 1 || perRank > Endpoint.CONTEXTS || Endpoint.offset(self.endpoint()) >= perRank) {
            throw new IllegalArgumentException("contextsPerRank must be 1 to " + Endpoint.CONTEXTS
                    + ", and more than the number of the context: contextsPerRank=" + perRank + " context=" + self);
        }
        final int[] tasks = client.tasks();
        final long[] keys = new long[tasks.length * perRank];
        for (int member = 0; member < keys.length; member++) {
            keys[member] = key(tasks[member / perRank], member % perRank);
        }
        return new Members(keys, true);
    }

    private static long key(int rank, int offset) {
        return (long) rank << OFFSET_BITS | offset;
    }

    /** Returns the rank of the member with a key. */
    static int rankOf(long key) {
        return (int) (key >>> OFFSET_BITS);
    }

    private static int offsetOf(long key) {
        return (int) key & OFFSET_MASK;
    }

    private boolean areDifferent(Client client) {
        final int[] tasks = client.tasks();
        final long[] sorted = sortedKeys();
        boolean areDifferent = true;
        for (int i = 0; i < sorted.length; i++) {
            areDifferent &= i == 0 || sorted[i] != sorted[i - 1];
            areDifferent &= Arrays.binarySearch(tasks, rankOf(sorted[i])) >= 0;
        }
        return areDifferent;
    }

    int size() {
        return keys.length;
    }

    /** Returns the number of the member that a context of this rank is, or -1. */
    int self(Context context) {
        return indexOf(key(context.rank(), endpoints ? Endpoint.offset(context.endpoint()) : 0));
    }

    private int indexOf(long key) {
        int index = -1;
        for (int member = 0; member < keys.length; member++) {
            index = keys[member] == key ? member : index;
        }
        return index;
    }

    int rank(int member) {
        return ranks[member];
    }

    /** Returns the rank of each member; callers do not change the array. */
    int[] ranks() {
        return ranks;
    }

    long key(int member) {
        return keys[member];
    }

    /** Returns the keys in ascending order. */
    long[] sortedKeys() {
        final long[] sorted = keys.clone();
        Arrays.sort(sorted);
        return sorted;
    }

    /** Returns some of the members in another order. */
    Members chosen(List<Integer> members) {
        return new Members(members.stream().mapToLong(member -> keys[member]).toArray(), endpoints);
    }

    /** Returns the members of ranks that are not known to have died. */
    Members living(Context context) {
        final long[] living = Arrays.stream(keys)
                .filter(key -> !(context.failure(rankOf(key)) instanceof PeerFailedException))
                .toArray();
        return new Members(living, endpoints);
    }

    /** Returns a digest of the members in their order. */
    long digest() {
        return Digest.of(keys);
    }

    /** Returns the name under which the member with a key publishes its counters for the creation of a geometry. */
    String published(long key, String geometry) {
        final String name = PREFIX.concat(GeometryName.published(geometry));
        return endpoints ? "endpoint" + offsetOf(key) + "." + name : name;
    }

    /** Describes the member with a key without its number. */
    String title(long key) {
        return "rank " + rankOf(key) + (endpoints ? ", context " + offsetOf(key) : "");
    }

    /** Lists the members for which a test is true, each with a description. */
    String named(IntPredicate test, IntFunction<String> description) {
        final StringJoiner named = new StringJoiner(",");
        int count = 0;
        for (int member = 0; member < keys.length && count <= NAMED; member++) {
            if (test.test(member)) {
                count++;
                named.add(count > NAMED ? " and others" : " " + describe(member) + description.apply(member));
            }
        }
        return named.toString();
    }

    /** Describes a member. */
    String describe(int member) {
        return "member " + member + " (" + title(keys[member]) + ")";
    }

    @Override
    public String toString() {
        return endpoints
                ? Arrays.stream(keys).mapToObj(this::title).collect(Collectors.joining("; ", "[", "]"))
                : Arrays.toString(ranks);
    }
}
