/**
 * A deterministic simulation of a job: production nodes, contexts and engines in one thread, under a virtual clock,
 * over links with latency, bandwidth and finite buffers. One seed determines everything.
 *
 * <p>{@link org.segno.simulator.Simulation#run} carries out a {@link org.segno.simulator.SimulationPlan} and returns
 * its {@link org.segno.simulator.SimulationResult}, which names each defect that the checks have found.
 */
@NullMarked
package org.segno.simulator;

import org.jspecify.annotations.NullMarked;
