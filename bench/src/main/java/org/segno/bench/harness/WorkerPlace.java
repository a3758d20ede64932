package org.segno.bench.harness;

import org.segno.bench.experiment.LinkNetwork;

/**
 * Cores of the two workers, and the network between them.
 *
 * @param cores cores of the workers
 * @param network network between the workers in experiments with links; they run in its namespaces
 */
public record WorkerPlace(WorkerCores cores, LinkNetwork network) {}
