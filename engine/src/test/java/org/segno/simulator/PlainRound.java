package org.segno.simulator;

import java.util.Arrays;
import org.agrona.concurrent.UnsafeBuffer;
import org.segno.collective.CollectiveKind;
import org.segno.simulator.DrawnCall.Elements;

/** Contributions and results of all members in one round of a collective, each computed once and plainly. */
public final class PlainRound {
    private final DrawnCall call;
    private final byte[][] contributions;
    private final byte[][] results;

    PlainRound(DrawnCall call, long round) {
        this.call = call;
        this.contributions = new byte[call.members()][];
        this.results = new byte[call.members()][];
        Arrays.setAll(contributions, member -> CollectiveReference.contribution(call, round, member));
        if (call.elements() == null) {
            Arrays.setAll(results, this::moved);
        } else {
            combine(call.elements());
        }
    }

    /** Returns the contribution of a member. */
    public byte[] contribution(int member) {
        return contributions[member];
    }

    /** Returns the result of a member, with adjacent blocks; empty if it has none. */
    public byte[] result(int member) {
        return results[member];
    }

    private void combine(Elements elements) {
        final byte[][] sums = new byte[call.members()][];
        sums[0] = contributions[0];
        for (int member = 1; member < call.members(); member++) {
            sums[member] = sums[member - 1].clone();
            final UnsafeBuffer left = new UnsafeBuffer(sums[member]);
            final UnsafeBuffer right = new UnsafeBuffer(contributions[member]);
            for (int at = 0; at < sums[member].length; at += elements.type().length()) {
                ReferenceOperator.combine(elements.type(), elements.operator(), left, right, at);
            }
        }
        final byte[] all = sums[call.members() - 1];
        Arrays.setAll(results, member -> switch (call.kind()) {
            case SCAN -> sums[member];
            case EXCLUSIVE_SCAN -> member == 0 ? new byte[0] : sums[member - 1];
            case ALLREDUCE -> all;
            case REDUCE -> member == call.root() ? all : new byte[0];
            case REDUCE_SCATTER -> block(all, member);
            default -> throw new IllegalArgumentException("combines nothing: kind=" + call.kind());
        });
    }

    private byte[] moved(int self) {
        return switch (call.kind()) {
            case BROADCAST -> self == call.root() ? new byte[0] : contributions[call.root()];
            case SCATTER -> block(contributions[call.root()], self);
            case GATHER -> self == call.root() ? blocksOfAll(self) : new byte[0];
            case ALLGATHER -> self == 0 ? blocksOfAll(0) : results[0];
            case ALL_TO_ALL -> blocksOfAll(self);
            default -> new byte[0];
        };
    }

    private byte[] block(byte[] all, int member) {
        return Arrays.copyOfRange(all, call.offset(member), call.offset(member) + call.block(member));
    }

    /** Returns the blocks that a member receives from all, in their order. */
    private byte[] blocksOfAll(int self) {
        final byte[] all = new byte[call.targetBytes(self)];
        final boolean isExchange = call.kind() == CollectiveKind.ALL_TO_ALL;
        int end = 0;
        for (int from = 0; from < call.members(); from++) {
            int offset = 0;
            for (int before = 0; isExchange && before < self; before++) {
                offset += call.block(from, before);
            }
            final int length = isExchange ? call.block(from, self) : call.block(from);
            System.arraycopy(contributions[from], offset, all, end, length);
            end += length;
        }
        return all;
    }
}
