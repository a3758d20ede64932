package org.segno.tools.simulate;

import org.segno.simulator.SimulationPlan;
import org.segno.simulator.Workload;

/**
 * Plan that a command simulates with each of its seeds, and the checks that it reports.
 *
 * @param nodes number of nodes
 * @param operations number of operations of all nodes together
 * @param workload what the nodes do
 * @param faults kinds of faults
 * @param checks checks whose defects are reported
 */
record PlanChoice(int nodes, int operations, Workload workload, FaultChoice faults, CheckChoice checks) {
    SimulationPlan plan(long seed) {
        return new SimulationPlan(seed, nodes, operations, workload, faults.of(seed));
    }

    /** Returns the command that runs a plan, and nothing else, with these checks. */
    String command(SimulationPlan plan) {
        return "segno sim --nodes " + plan.nodes()
                + " --workload " + ConstantList.text(plan.workload())
                + " --operations " + plan.operations()
                + " --seed " + plan.seed()
                + " --faults " + FaultChoice.text(plan.faults())
                + (checks.isAll() ? "" : " --check " + checks);
    }
}
