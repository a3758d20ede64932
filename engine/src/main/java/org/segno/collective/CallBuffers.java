package org.segno.collective;

import org.agrona.DirectBuffer;
import org.agrona.MutableDirectBuffer;
import org.agrona.concurrent.AtomicBuffer;

/** Memory of a collective for the contribution and the result of its member, and copies from and to other buffers. */
final class CallBuffers {
    private final Call call;
    private final int self;
    private final int members;
    private final CollectiveMemory memory;

    /** Creates the buffers of a member; those of the first part of a collective begin with those of the whole. */
    CallBuffers(Call call, int self, int members, CollectiveMemory memory) {
        this.call = call;
        this.self = self;
        this.members = members;
        this.memory = memory;
    }

    /** Returns the memory of the contribution, for a call without windows. */
    AtomicBuffer input() {
        return memory.source().buffer(memory.source(0), (int) call.sourceBytes(self, members));
    }

    /** Returns the memory of the result, for a call without windows. */
    AtomicBuffer output() {
        return memory.target().buffer(memory.target(0), (int) call.targetBytes(self, members));
    }

    /** Copies the contribution from a buffer. */
    void copyIn(DirectBuffer from, int index) {
        final int bytes = (int) call.sourceBytes(self, members);
        if (bytes != 0) {
            memory.source().putBytes(memory.source(0), from, index, bytes);
        }
    }

    /** Copies the result to a buffer. The first member of an exclusive scan has none. */
    void copyOut(MutableDirectBuffer to, int index) {
        if (call.kind() == CollectiveKind.EXCLUSIVE_SCAN && self == 0) {
            return;
        }
        final long bytes = call.targetBytes(self, members);
        final Lengths blocks = call.targetBlocks();
        if (blocks == null || bytes == 0 || blocks.areAdjacent(members)) {
            copyOut(to, index, 0, bytes);
            return;
        }
        for (int member = 0; member < members; member++) {
            copyOut(to, index, blocks.offset(member), blocks.length(member));
        }
    }

    private void copyOut(MutableDirectBuffer to, int index, long offset, long bytes) {
        if (bytes != 0) {
            memory.target().getBytes(memory.target(offset), to, index + (int) offset, (int) bytes);
        }
    }
}
