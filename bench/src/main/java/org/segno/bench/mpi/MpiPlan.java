package org.segno.bench.mpi;

import java.util.ArrayList;
import java.util.List;
import org.segno.bench.demos.DemoExchange;
import org.segno.bench.demos.DemoSpikes;
import org.segno.bench.demos.PieceMove;
import org.segno.bench.demos.PiecePhase;

/**
 * Messages of one rank, as text for the program in C.
 *
 * <p>Format, all numbers, separated by blanks or ends of line:
 *
 * <pre>
 *  rounds, phases of a round, bytes of the source, bytes of the target, 1 if sent pieces are stamped with the time
 *  number of messages that the rank can send; for each its receiver, offset in the source, length
 *  number of messages that it can receive; for each its sender, offset in the target, length, and
 * offset at the sender, -1 if it differs between rounds
 *  for each phase of each round: number of sent ones and their indexes, number of received ones and their indexes
 * </pre>
 *
 * <p>Rounds follow each other, after the last the first. The messages from one rank to another are received in the
 * order in which they are sent.
 */
final class MpiPlan {
    private final StringBuilder sends = new StringBuilder();
    private final StringBuilder receives = new StringBuilder();
    private final StringBuilder phases = new StringBuilder();
    private int sendCount;
    private int receiveCount;

    private MpiPlan() {}

    /** Returns the plan of a rank for an exchange of pieces. */
    static String of(DemoExchange exchange, int rank) {
        final MpiPlan plan = new MpiPlan();
        final List<PiecePhase> own = exchange.phases(rank);
        int sourceBytes = 0;
        int targetBytes = 0;
        for (int phase = 0; phase < own.size(); phase++) {
            sourceBytes = Math.max(sourceBytes, own.get(phase).sentBytes());
            targetBytes = Math.max(targetBytes, own.get(phase).receivedBytes());
            final List<Integer> sent = new ArrayList<>();
            for (final PieceMove move : own.get(phase).moves()) {
                sent.add(plan.addSend(move.target(), move.sourceOffset(), move.length()));
            }
            final List<Integer> received = new ArrayList<>();
            for (int source = 0; source < DemoExchange.RANKS; source++) {
                for (final PieceMove move : exchange.phases(source).get(phase).moves()) {
                    if (move.target() == rank) {
                        received.add(plan.addReceive(source, move.targetOffset(), move.length(), move.sourceOffset()));
                    }
                }
            }
            plan.addPhase(sent, received);
        }
        return plan.text(1, own.size(), sourceBytes, targetBytes, false);
    }

    /** Returns the plan of a rank for a message from rank 0 to rank 1, and then one back. */
    static String ofTwoWays(int rank, int there, int back) {
        final MpiPlan plan = new MpiPlan();
        final int longest = Math.max(there, back);
        final int sent = plan.addSend(1 - rank, 0, rank == 0 ? there : back);
        final int received = plan.addReceive(1 - rank, 0, rank == 0 ? back : there, 0);
        if (rank == 0) {
            plan.addPhase(List.of(sent), List.of());
            plan.addPhase(List.of(), List.of(received));
        } else {
            plan.addPhase(List.of(), List.of(received));
            plan.addPhase(List.of(sent), List.of());
        }
        return plan.text(1, 2, longest, longest, false);
    }

    /** Returns the plan of a rank for the spikes: messages for all cells, and a round for each step. */
    static String ofSpikes(int rank) {
        final MpiPlan plan = new MpiPlan();
        for (int cell = 0; cell < DemoSpikes.CELLS; cell++) {
            for (final int target : DemoSpikes.targetsOf(rank, cell)) {
                plan.addSend(target, cell * DemoSpikes.SPIKE_BYTES, DemoSpikes.SPIKE_BYTES);
            }
        }
        final int most = DemoSpikes.FIRING * DemoSpikes.TARGETS;
        for (int source = 0; source < DemoExchange.RANKS; source++) {
            for (int i = 0; i < most; i++) {
                plan.addReceive(source, (source * most + i) * DemoSpikes.SPIKE_BYTES, DemoSpikes.SPIKE_BYTES, -1);
            }
        }
        for (int step = 0; step < DemoSpikes.STEPS; step++) {
            final List<Integer> sent = new ArrayList<>();
            for (final int cell : DemoSpikes.firing(rank, step)) {
                for (int i = 0; i < DemoSpikes.TARGETS; i++) {
                    sent.add(cell * DemoSpikes.TARGETS + i);
                }
            }
            final List<Integer> received = new ArrayList<>();
            for (int source = 0; source < DemoExchange.RANKS; source++) {
                final int count = DemoSpikes.spikes(source, rank, step);
                for (int i = 0; i < count; i++) {
                    received.add(source * most + i);
                }
            }
            plan.addPhase(sent, received);
        }
        return plan.text(
                DemoSpikes.STEPS,
                1,
                DemoSpikes.CELLS * DemoSpikes.SPIKE_BYTES,
                DemoExchange.RANKS * most * DemoSpikes.SPIKE_BYTES,
                true);
    }

    private int addSend(int target, int offset, int length) {
        add(sends, target, offset, length);
        return sendCount++;
    }

    private int addReceive(int source, int offset, int length, int sourceOffset) {
        add(receives, source, offset, length, sourceOffset);
        return receiveCount++;
    }

    private static void add(StringBuilder list, int... numbers) {
        for (final int number : numbers) {
            list.append(number).append(' ');
        }
        list.append('\n');
    }

    private void addPhase(List<Integer> sent, List<Integer> received) {
        addIndexes(sent);
        addIndexes(received);
    }

    private void addIndexes(List<Integer> indexes) {
        phases.append(indexes.size());
        indexes.forEach(index -> phases.append(' ').append(index));
        phases.append('\n');
    }

    private String text(int rounds, int phasesOfRound, int sourceBytes, int targetBytes, boolean stamped) {
        return rounds + " " + phasesOfRound + " " + sourceBytes + " " + targetBytes + " " + (stamped ? 1 : 0) + "\n"
                + sendCount + "\n" + sends + receiveCount + "\n" + receives + phases;
    }
}
