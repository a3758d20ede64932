package org.segno.tools.simulate;

import java.util.concurrent.TimeUnit;
import org.segno.simulator.SimulationPlan;
import org.segno.simulator.SimulationPlan.Bounds;
import org.segno.simulator.Workload;

/**
 * Plan that a command simulates with each of its seeds, and the checks that it reports.
 *
 * @param nodes number of nodes
 * @param operations number of operations of all nodes together
 * @param workload what the nodes do
 * @param faults kinds of faults
 * @param bounds of the operations and buffers
 * @param checks checks whose defects are reported
 */
record PlanChoice(int nodes, int operations, Workload workload, FaultChoice faults, Bounds bounds, CheckChoice checks) {
    SimulationPlan plan(long seed) {
        return new SimulationPlan(seed, nodes, operations, workload, faults.of(seed), bounds);
    }

    /** Returns the command that runs a plan, and nothing else, with these checks. */
    String command(SimulationPlan plan) {
        return "segno sim --nodes " + plan.nodes()
                + " --workload " + ConstantList.text(plan.workload())
                + " --operations " + plan.operations()
                + " --seed " + plan.seed()
                + " --faults " + FaultChoice.text(plan.faults())
                + text(plan.bounds())
                + (checks.isAll() ? "" : " --check " + checks);
    }

    /** Returns the options that choose these bounds; none for the usual ones. */
    private static String text(Bounds bounds) {
        final Bounds usual = Bounds.USUAL;
        return (bounds.untilNs() == usual.untilNs() ? "" : " --until " + duration(bounds.untilNs()))
                + (bounds.longest() == usual.longest() ? "" : " --size " + bounds.longest())
                + (bounds.fifoSlots() == usual.fifoSlots() ? "" : " --fifo-slots " + bounds.fifoSlots());
    }

    private static String duration(long ns) {
        final long us = TimeUnit.NANOSECONDS.toMicros(ns);
        return us * TimeUnit.MICROSECONDS.toNanos(1) == ns ? us + "us" : ns + "ns";
    }
}
