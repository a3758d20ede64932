package org.segno.bench.harness;

import org.segno.bench.experiment.LinkNetwork;

/**
 * Cores of the two workers, and the network between them.
 *
 * @param cores cores of the workers
 * @param network network of the experiments with links, in whose namespaces the workers are
 */
public record WorkerPlace(WorkerCores cores, LinkNetwork network) {}
