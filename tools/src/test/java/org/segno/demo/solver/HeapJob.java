package org.segno.demo.solver;

import java.util.Arrays;
import java.util.concurrent.BrokenBarrierException;
import java.util.concurrent.CyclicBarrier;
import org.segno.demo.matrix.HaloPlan;

/** Ghosts and sums of ranks that are threads. They meet at a barrier and read each other's arrays. */
final class HeapJob {
    private final HaloPlan[] plans;
    private final double[][] vectors;
    private final double[][] addends;
    private final CyclicBarrier barrier;

    HeapJob(HaloPlan[] plans) {
        this.plans = plans;
        this.vectors = new double[plans.length][];
        this.addends = new double[plans.length][];
        this.barrier = new CyclicBarrier(plans.length);
    }

    Ghosts ghosts(int rank) {
        return vector -> {
            vectors[rank] = vector;
            meet();
            final HaloPlan plan = plans[rank];
            for (int i = 0; i < plan.neighbourCount(); i++) {
                final HaloPlan other = plans[plan.neighbour(i)];
                int back = 0;
                while (other.neighbour(back) != rank) {
                    back++;
                }
                for (int k = 0; k < plan.ghostStart(i + 1) - plan.ghostStart(i); k++) {
                    vector[plan.matrix().rowCount() + plan.ghostStart(i) + k] =
                            vectors[plan.neighbour(i)][other.sendRow(other.sendStart(back) + k)];
                }
            }
            meet();
        };
    }

    Sums sums(int rank) {
        return values -> {
            addends[rank] = values.clone();
            meet();
            Arrays.fill(values, 0);
            for (final double[] addend : addends) {
                for (int i = 0; i < values.length; i++) {
                    values[i] += addend[i];
                }
            }
            meet();
        };
    }

    private void meet() {
        try {
            barrier.await();
        } catch (InterruptedException | BrokenBarrierException e) {
            throw new IllegalStateException(e);
        }
    }
}
