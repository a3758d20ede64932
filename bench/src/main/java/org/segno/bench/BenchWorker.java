package org.segno.bench;

import java.io.IOException;
import java.util.List;
import org.segno.bench.experiment.Cores;
import org.segno.bench.experiment.LinkNetwork;
import org.segno.bench.harness.Worker;

/** Main class of a worker process, started by {@link Bench}. */
final class BenchWorker {
    private BenchWorker() {}

    /** Runs one of the two workers. */
    public static void main(String[] arguments) throws IOException {
        Worker.run(List.of(arguments), Catalogue.experiments(Cores.engine().isPresent(), LinkNetwork.ofThisProcess()));
    }
}
