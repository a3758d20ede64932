package org.segno.context;

import java.util.List;
import org.jspecify.annotations.Nullable;
import org.segno.memory.NameDirectory;
import org.segno.memory.NodeMemory;
import org.segno.operation.DescriptorWriter;
import org.segno.operation.Message;

/**
 * Where the contexts of one client are at each rank, and under what names it publishes. The node's own client has all numbers from 0
 * on; another one is found by its name. One thread, the one that holds the context.
 */
final class Homes {
    /** Stands between a client's name and those that it publishes. */
    static final char SEPARATOR = '/';

    private static final int UNKNOWN = -1;

    private final NodeMemory[] peers;
    private final int[] firsts;
    private final int[] counts;
    private final int[] numbers;
    private String prefix = "";

    Homes(List<NodeMemory> peers) {
        this.peers = peers.toArray(new NodeMemory[0]);
        this.firsts = new int[this.peers.length];
        this.counts = new int[this.peers.length];
        this.numbers = new int[this.peers.length];
        for (int rank = 0; rank < counts.length; rank++) {
            counts[rank] = this.peers[rank].layout().dimensions().contexts();
        }
    }

    /** From here on those of the client of this name. */
    void of(String client) {
        prefix = client + SEPARATOR;
        for (int rank = 0; rank < firsts.length; rank++) {
            firsts[rank] = UNKNOWN;
        }
    }

    /** True for the node's own client. */
    boolean isOwn() {
        return prefix.isEmpty();
    }

    /** True once the client is known at {@code rank}: looks. */
    boolean isKnown(int rank) {
        if (firsts[rank] >= 0) {
            return true;
        }
        final NameDirectory.@Nullable Entry entry = new NameDirectory(peers[rank]).find(prefix);
        if (entry == null || entry.kind() != NameDirectory.CLIENT || !isPossible(peers[rank], entry)) {
            return false;
        }
        counts[rank] = (int) entry.length();
        numbers[rank] = entry.incarnation();
        firsts[rank] = entry.id();
        return true;
    }

    /** Returns true for contexts that a node has: its directory is its own to write, and not trusted. */
    private static boolean isPossible(NodeMemory peer, NameDirectory.Entry client) {
        final int contexts = peer.layout().dimensions().contexts();
        return client.id() >= 0 && client.length() >= 1 && client.length() <= contexts - client.id();
    }

    /** Number within its node of the client's first context at {@code rank}. */
    int first(int rank) {
        if (firsts[rank] < 0 && !isKnown(rank)) {
            throw new IllegalStateException("rank " + rank + " has not opened " + client()
                    + " yet: wait for it with Client.endpoint, attach or a barrier before sending there");
        }
        return firsts[rank];
    }

    /** Contexts of the client at {@code rank}, where it is known. */
    int count(int rank) {
        return counts[rank];
    }

    /** Number of the client within its node at {@code rank}, where it is known. */
    int number(int rank) {
        return numbers[rank];
    }

    /** Number within its node of the context that a message goes to. */
    int context(int rank, Message message) {
        if (!message.isToEndpoint()) {
            return context(rank, message.context());
        }
        DescriptorWriter.requireContext(peers[rank], message.context());
        return message.context();
    }

    /** Number within its node of the client's context {@code offset} at {@code rank}. */
    int context(int rank, int offset) {
        final int first = first(rank);
        if (offset < 0 || offset >= counts[rank]) {
            throw new IllegalArgumentException("rank " + rank + " has no such context, " + client() + " has "
                    + counts[rank] + " there: context=" + offset);
        }
        return first + offset;
    }

    /** What the client calls {@code name}, as it stands in directories. */
    String published(String name) {
        return prefix + name;
    }

    /** The client, in words. */
    String client() {
        return isOwn() ? "the node's own client" : "client \"" + prefix.substring(0, prefix.length() - 1) + "\"";
    }
}
