package org.segno.context;

import java.util.Arrays;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import org.segno.engine.memory.ContextStates;
import org.segno.engine.memory.NameDirectory;
import org.segno.engine.memory.NameLookups;
import org.segno.engine.memory.NodeMemory;
import org.segno.engine.memory.Peer;
import org.segno.engine.memory.PeerTable;
import org.segno.engine.memory.RankTable;
import org.segno.engine.writer.DescriptorWriter;
import org.segno.geometry.Endpoint;
import org.segno.operation.Message;
import org.segno.operation.OperationAccess;

/**
 * Locations of one client's contexts at each rank, and the prefix of its published names. The node's own client has the
 * numbers from 0 on; another client is found by its name. Used by the one thread that holds the context.
 */
final class ContextDirectory {
    /** Separator between a client's name and the names that it publishes. */
    static final char SEPARATOR = '/';

    private static final int UNKNOWN = -1;

    /** Number of ranks for which {@link #firsts} has a place. */
    private static final int NEAR = 64;

    /** Name of a lookup whose only purpose is the introduction of the peer, which precedes its first reply. */
    private static final String ANY_NAME = ".";

    private final PeerTable peers;
    private final int index;
    private final NameLookups lookups;

    /** Locations by rank, as far as they were needed. */
    private RankTable<Location> locations;

    /** Ids of the first contexts at the first ranks, or {@link #UNKNOWN}: each message reads one. */
    private final int[] firsts;

    private Runnable openCheck = () -> {};
    private String prefix = "";
    private TaskList tasks;
    private long endpoint;

    /** Creates the directory of context {@code index} of a node, which belongs to the node's own client. */
    ContextDirectory(NodeShare share, int index) {
        final int rank = share.node().rank();
        this.peers = share.peers();
        this.index = index;
        this.lookups = share.names();
        this.locations = new RankTable<>(peers.size());
        this.firsts = new int[Math.min(peers.size(), NEAR)];
        Arrays.fill(firsts, UNKNOWN);
        this.endpoint = Endpoint.of(rank, 0, index, index, ContextStates.use(state(rank, index)));
        this.tasks = TaskList.all(peers.size());
    }

    /** Contexts of the client at one rank. */
    private static final class Location {
        final Peer peer;
        final ContextStates states;

        /** Id of the first context, or {@link #UNKNOWN}. */
        int first = UNKNOWN;

        /** Ids of the contexts by offset, valid once the first one is known. */
        int[] ids = {};

        int number;

        Location(Peer peer, ContextStates states) {
            this.peer = peer;
            this.states = states;
        }
    }

    private Location at(int rank) {
        final Location known = locations.get(rank);
        return known != null ? known : locate(rank);
    }

    private Location locate(int rank) {
        final Peer peer = peers.get(rank);
        final Location made = new Location(peer, peer.states(index));
        locations.set(rank, made);
        return made;
    }

    /** Sets the check that the context is open, which precedes the refusal of a rank without the client. */
    void openCheck(Runnable check) {
        openCheck = check;
    }

    /**
     * Assigns the context to a client. The client's locations are resolved on demand.
     */
    void assign(ClientShare client) {
        prefix = prefix(client.name());
        tasks = client.tasks();
        locations = new RankTable<>(peers.size());
        Arrays.fill(firsts, UNKNOWN);
        final int context = Endpoint.context(endpoint);
        endpoint = Endpoint.of(
                Endpoint.task(endpoint), client.number(), context - client.first(), context, Endpoint.use(endpoint));
    }

    private long state(int rank, int context) {
        return at(rank).states.stateAcquire(context);
    }

    /** Returns the endpoint of the context. */
    long endpoint() {
        return endpoint;
    }

    /** Returns true for the node's own client. */
    boolean isOwn() {
        return prefix.isEmpty();
    }

    /** Returns true once the client is found at {@code rank}. Searches the directory there until then. */
    boolean isKnown(int rank) {
        return at(rank).first >= 0 || (isOwn() ? findOwn(rank) : find(rank));
    }

    /**
     * Returns true if the client is open at {@code rank}, and begins a search otherwise. For a linked rank this is the
     * last state that has arrived, which may be out of date.
     */
    boolean isCurrent(int rank) {
        if (isOwn()) {
            // Contexts return to it with other uses when another client of that node is closed.
            return isIntroduced(rank) && findOwn(rank);
        }
        if (at(rank).first >= 0 && !admits(rank, at(rank).first)) {
            first(at(rank), rank, UNKNOWN);
        }
        return isKnown(rank) && admits(rank, at(rank).first);
    }

    /**
     * Sends a lookup of the client to a linked rank. Returns the condition that the answer has arrived and that the
     * client is open there. The mirror of the rank's states alone may be out of date.
     */
    BooleanSupplier confirmed(int rank) {
        final int context = Endpoint.context(endpoint);
        // An earlier call may have sent a question and ended at its deadline. The answer to that can be out of date.
        final NameLookups.Question earlier = lookups.question(context);
        final String name = isOwn() ? ANY_NAME : prefix;
        if (earlier == null || !earlier.isFor(rank, name)) {
            lookups.begin(context, rank, name);
        }
        return isOwn() ? () -> isAnsweredSince(rank, context, earlier) : () -> isFoundSince(rank, context, earlier);
    }

    private boolean isFoundSince(int rank, int context, NameLookups.@Nullable Question earlier) {
        final NameLookups.Question asked = lookups.question(context);
        final boolean isAnswered = isAnswer(rank, lookups.find(context, rank, prefix));
        return isAnswered && asked != earlier && admits(rank, at(rank).first);
    }

    /** A rank sends the changed states of its contexts before each answer. So the answer itself does not matter. */
    private boolean isAnsweredSince(int rank, int context, NameLookups.@Nullable Question earlier) {
        final NameLookups.Question asked = lookups.question(context);
        if (asked != null && asked != earlier && asked.isFor(rank, ANY_NAME) && lookups.isAnswered(context, asked)) {
            return findOwn(rank);
        }
        lookups.begin(context, rank, ANY_NAME);
        return false;
    }

    /** Returns true if this node has mapped the rank's memory, which shows the present states of its contexts. */
    boolean isMapped(int rank) {
        return at(rank).peer.isMapped();
    }

    /** Returns true if this is a context of the node's own client, and that client has contexts at {@code rank}. */
    boolean findsOwn(int rank) {
        return isOwn() && findOwn(rank);
    }

    /** Returns true once a rank has sent the uses of its contexts. */
    boolean hasIntroduced(int rank) {
        return ContextStates.use(state(rank, 0)) != ContextStates.UNKNOWN_USE;
    }

    /** Returns what became of a count that was injected before, as {@link Peer#earlyCount}. */
    int earlyCount(int rank, int context) {
        return at(rank).peer.earlyCount(context);
    }

    /** Returns true once a rank has sent the uses of its contexts. Until then, sends a linked rank a lookup. */
    private boolean isIntroduced(int rank) {
        if (hasIntroduced(rank)) {
            return true;
        }
        lookups.begin(Endpoint.context(endpoint), rank, ANY_NAME);
        return false;
    }

    /** Returns true if {@code rank} admits messages to the context with this id. */
    boolean admits(int rank, int contextId) {
        final long state = state(rank, Endpoint.contextOf(contextId));
        return isUnknown(state, contextId) ? !ContextStates.isClosing(state) : ContextStates.admits(state, contextId);
    }

    /**
     * Returns true if {@code rank} has closed the client that had the context with this id, and its engines have
     * carried out what was injected there. For an id of an unknown use, this is true from the beginning of any close.
     */
    boolean isOver(int rank, int contextId) {
        final long state = state(rank, Endpoint.contextOf(contextId));
        return isUnknown(state, contextId)
                ? ContextStates.isClosing(state)
                : ContextStates.use(state) != Endpoint.useOf(contextId);
    }

    /** Returns true if the use in an id, or in the state of its context, is the value for an unknown one. */
    static boolean isUnknown(long state, int contextId) {
        return ContextStates.isUnknown(contextId) || ContextStates.use(state) == ContextStates.UNKNOWN_USE;
    }

    /** Returns true if two ids name the same context, and their uses are equal or one of them is unknown. */
    static boolean isSame(int contextId, int other) {
        return contextId == other
                || ((ContextStates.isUnknown(contextId) || ContextStates.isUnknown(other))
                        && Endpoint.contextOf(contextId) == Endpoint.contextOf(other));
    }

    /** Returns the origin of the messages of this node's context {@code index}. */
    int origin(int index) {
        return ContextStates.origin(index, state(Endpoint.task(endpoint), index));
    }

    /** Returns the state of the context with this id, as its owner has written it last. */
    long stateOf(int rank, int contextId) {
        return state(rank, Endpoint.contextOf(contextId));
    }

    /** Returns the id of a context in its present use, whichever client it belongs to. */
    int present(int rank, int context) {
        return Endpoint.idOf(context, ContextStates.use(state(rank, context)));
    }

    private boolean findOwn(int rank) {
        final Location location = at(rank);
        location.ids = ids(rank, 0, location.peer.dimensions().contexts());
        first(location, rank, location.ids[0]);
        return true;
    }

    private int[] ids(int rank, int first, int count) {
        final int[] found = new int[count];
        for (int offset = 0; offset < count; offset++) {
            found[offset] = present(rank, first + offset);
        }
        return found;
    }

    private boolean find(int rank) {
        final NodeMemory mapped = at(rank).peer.memory();
        return mapped == null ? findLinked(rank) : findMapped(rank, new NameDirectory(mapped));
    }

    private boolean findMapped(int rank, NameDirectory names) {
        final NameDirectory.@Nullable Entry entry = names.find(prefix);
        if (entry == null || !isClient(rank, entry)) {
            return false;
        }
        final int[] ids = ids(rank, entry.id(), entry.contexts());
        // The rank withdraws the name before it begins the next use of a context. If the name is there still, none of
        // the uses just read is later than that of this client.
        return entry.equals(names.find(prefix)) && learn(rank, new NameLookups.Found(entry, ids));
    }

    /** Keeps a client that was found for all contexts of this node, and uses it here. */
    private boolean learn(int rank, NameLookups.Found found) {
        at(rank).peer.learnClient(prefix, found);
        return use(rank, found);
    }

    private boolean use(int rank, NameLookups.Found found) {
        final Location location = at(rank);
        location.ids = found.contextIds();
        location.number = found.entry().incarnation();
        first(location, rank, location.ids[0]);
        return true;
    }

    /**
     * Requests the client from a linked rank, unless a context of this node has found it. Returns true once it is
     * known.
     */
    private boolean findLinked(int rank) {
        final NameLookups.Found known = at(rank).peer.learnedClient(prefix);
        final boolean isPresent = known != null && admits(rank, known.contextIds()[0]);
        return isAnswer(rank, isPresent ? known : lookups.find(Endpoint.context(endpoint), rank, prefix));
    }

    private boolean isAnswer(int rank, NameLookups.@Nullable Found found) {
        return found != null && isClient(rank, found.entry()) && learn(rank, found);
    }

    /** Returns true for the entry of this client, with the same tasks. */
    private boolean isClient(int rank, NameDirectory.Entry entry) {
        if (entry.kind() != NameDirectory.CLIENT || !isPossible(at(rank).peer, entry)) {
            return false;
        }
        if (entry.tasks() != tasks.hash()) {
            throw new IllegalStateException("rank " + rank + " opened " + client() + " with other tasks than rank "
                    + Endpoint.task(endpoint) + ", which gave " + tasks
                    + ": give the same ranks to ClientConfig.withTasks at all of them");
        }
        return true;
    }

    /**
     * Returns true if the entry's contexts exist. Another node writes its own directory, so its entries are validated.
     */
    private static boolean isPossible(Peer peer, NameDirectory.Entry client) {
        final int contexts = peer.dimensions().contexts();
        return client.id() >= 0
                && client.contexts() >= 1
                && client.contexts() <= contexts - client.id()
                && client.incarnation() >= 0
                && client.incarnation() < Endpoint.CONTEXTS;
    }

    /** Returns the ranks that take part in the client. */
    TaskList tasks() {
        return tasks;
    }

    /**
     * Checks that a rank takes part in the client.
     *
     * @throws IllegalArgumentException if it does not; the message lists the tasks
     */
    void requireTask(int rank) {
        if (!tasks.contains(rank)) {
            throw new IllegalArgumentException(
                    "rank " + rank + " is not a task of " + client() + ", whose tasks are " + tasks + ": rank=" + rank);
        }
    }

    /** Returns the id of the client's first context at {@code rank}. */
    int first(int rank) {
        final int near = rank < firsts.length ? firsts[rank] : UNKNOWN;
        return near >= 0 ? near : look(rank);
    }

    private void first(Location location, int rank, int contextId) {
        location.first = contextId;
        if (rank < firsts.length) {
            firsts[rank] = contextId;
        }
    }

    private int look(int rank) {
        final Location location = at(rank);
        if (location.first < 0 && !isFound(rank)) {
            openCheck.run();
            requireTask(rank);
            throw new IllegalStateException(client() + " has not been found at rank " + rank
                    + ": wait for it with Client.endpoint, attach or a barrier before sending there");
        }
        return location.first;
    }

    /**
     * Returns true if the client is this node's own, or one of its contexts has waited for it at {@code rank}. A
     * message does not search by itself: over a link that needs a reply. If the client was closed there since, the
     * engine refuses the message.
     */
    private boolean isFound(int rank) {
        if (isOwn() || rank == Endpoint.task(endpoint)) {
            return isKnown(rank);
        }
        final NameLookups.Found found = at(rank).peer.learnedClient(prefix);
        return found != null && isClient(rank, found.entry()) && use(rank, found);
    }

    /** Returns the number of the client's contexts at {@code rank}; valid once the client is found there. */
    int count(int rank) {
        return at(rank).ids.length;
    }

    /** Returns the number of the client within its node at {@code rank}; valid once the client is found there. */
    int number(int rank) {
        return at(rank).number;
    }

    /** Returns the id of the context that a message targets. */
    int context(int rank, Message message) {
        if (!OperationAccess.isToEndpoint(message)) {
            return context(rank, OperationAccess.context(message));
        }
        DescriptorWriter.requireContext(at(rank).peer, Endpoint.contextOf(OperationAccess.context(message)));
        return OperationAccess.context(message);
    }

    /** Returns the id of the client's context {@code offset} at {@code rank}. */
    int context(int rank, int offset) {
        final int first = first(rank);
        if (offset == 0) {
            return first;
        }
        if (offset < 0 || offset >= count(rank)) {
            throw new IllegalArgumentException("rank " + rank + " has no such context, " + client() + " has "
                    + count(rank) + " there: context=" + offset);
        }
        return at(rank).ids[offset];
    }

    /** Returns the client's {@code name} in the form that directories store. */
    String published(String name) {
        return prefix + name;
    }

    /** Returns the prefix of the names that a client publishes; empty for the node's own client. */
    static String prefix(String client) {
        return client.isEmpty() ? "" : client + SEPARATOR;
    }

    /** Describes the client, for messages. */
    String client() {
        return isOwn() ? "the node's own client" : "client \"" + prefix.substring(0, prefix.length() - 1) + "\"";
    }
}
