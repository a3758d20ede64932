package org.segno.context;

import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.segno.engine.memory.NameDirectory;
import org.segno.engine.memory.NodeMemory;
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

    private final NodeMemory[] peers;
    private final int[] firsts;
    private final int[] counts;
    private final int[] numbers;
    private String prefix = "";
    private TaskList tasks;
    private long endpoint;

    /** Creates the directory of context {@code index} of {@code rank}, which belongs to the node's own client. */
    ContextDirectory(List<NodeMemory> peers, int rank, int index) {
        this.endpoint = Endpoint.of(rank, 0, index, index);
        this.peers = peers.toArray(new NodeMemory[0]);
        this.firsts = new int[this.peers.length];
        this.counts = new int[this.peers.length];
        this.numbers = new int[this.peers.length];
        this.tasks = TaskList.all(this.peers.length);
        for (int i = 0; i < counts.length; i++) {
            counts[i] = this.peers[i].layout().dimensions().contexts();
        }
    }

    /**
     * Assigns the context to a client. The client's locations are resolved on demand.
     */
    void assign(ClientShare client) {
        prefix = prefix(client.name());
        tasks = client.tasks();
        Arrays.fill(firsts, UNKNOWN);
        final int context = Endpoint.context(endpoint);
        endpoint = Endpoint.of(Endpoint.task(endpoint), client.number(), context - client.first(), context);
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
        if (firsts[rank] >= 0) {
            return true;
        }
        final NameDirectory.@Nullable Entry entry = new NameDirectory(peers[rank]).find(prefix);
        if (entry == null || entry.kind() != NameDirectory.CLIENT || !isPossible(peers[rank], entry)) {
            return false;
        }
        if (entry.tasks() != tasks.hash()) {
            throw new IllegalStateException("rank " + rank + " opened " + client() + " with other tasks than rank "
                    + Endpoint.task(endpoint) + ", which gave " + tasks
                    + ": give the same ranks to ClientConfig.withTasks at all of them");
        }
        counts[rank] = entry.contexts();
        numbers[rank] = entry.incarnation();
        firsts[rank] = entry.id();
        return true;
    }

    /**
     * Returns true if the entry's contexts exist. Another node writes its own directory, so its entries are validated.
     */
    private static boolean isPossible(NodeMemory peer, NameDirectory.Entry client) {
        final int contexts = peer.layout().dimensions().contexts();
        return client.id() >= 0 && client.contexts() >= 1 && client.contexts() <= contexts - client.id();
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

    /** Returns the node-wide number of the client's first context at {@code rank}. */
    int first(int rank) {
        if (firsts[rank] < 0 && !isKnown(rank)) {
            requireTask(rank);
            throw new IllegalStateException("rank " + rank + " has not opened " + client()
                    + " yet: wait for it with Client.endpoint, attach or a barrier before sending there");
        }
        return firsts[rank];
    }

    /** Returns the number of the client's contexts at {@code rank}; valid once the client is found there. */
    int count(int rank) {
        return counts[rank];
    }

    /** Returns the number of the client within its node at {@code rank}; valid once the client is found there. */
    int number(int rank) {
        return numbers[rank];
    }

    /** Returns the node-wide number of the context that a message targets. */
    int context(int rank, Message message) {
        if (!OperationAccess.isToEndpoint(message)) {
            return context(rank, OperationAccess.context(message));
        }
        DescriptorWriter.requireContext(peers[rank], OperationAccess.context(message));
        return OperationAccess.context(message);
    }

    /** Returns the node-wide number of the client's context {@code offset} at {@code rank}. */
    int context(int rank, int offset) {
        final int first = first(rank);
        if (offset < 0 || offset >= counts[rank]) {
            throw new IllegalArgumentException("rank " + rank + " has no such context, " + client() + " has "
                    + counts[rank] + " there: context=" + offset);
        }
        return first + offset;
    }

    /**
     * Returns the endpoint of a context of a rank, whichever client it belongs to. The node-wide number may be that of
     * no context; a message to the endpoint is then refused.
     */
    long endpointOf(int rank, int context) {
        final NameDirectory.@Nullable Entry client = new NameDirectory(peers[rank]).clientOf(context);
        // Another node writes its own directory, so the number of the client is validated.
        return client == null || client.incarnation() < 0 || client.incarnation() >= Endpoint.CONTEXTS
                ? Endpoint.of(rank, 0, context, context)
                : Endpoint.of(rank, client.incarnation(), context - client.id(), context);
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
