package org.segno.bench.harness;

import java.util.List;
import java.util.OptionalInt;
import org.segno.bench.experiment.Role;

/**
 * Cores of the two workers.
 *
 * @param applications cores of the measuring threads, by role
 * @param engines cores of their engines with threads of their own, by role; empty if they have none
 */
public record WorkerCores(List<Integer> applications, List<Integer> engines) {
    /** Number of cores that a run needs in which each engine has a core of its own. */
    public static final int FREE_CORES = 4;

    /** Copies the lists. */
    public WorkerCores {
        applications = List.copyOf(applications);
        engines = List.copyOf(engines);
    }

    /** Returns the first two cores, one for each worker. */
    public static WorkerCores two(List<Integer> allowed) {
        return new WorkerCores(allowed.subList(0, Math.min(allowed.size(), Role.values().length)), List.of());
    }

    /**
     * Returns two adjacent cores for each worker, the first one for its application. Adjacent ones are most often close
     * to each other.
     *
     * @throws IllegalArgumentException if there are fewer than {@link #FREE_CORES}
     */
    public static WorkerCores four(List<Integer> allowed) {
        if (allowed.size() < FREE_CORES) {
            throw new IllegalArgumentException("--free-cores needs " + FREE_CORES
                    + " cores, one for the application and"
                    + " one for the engine of each process; this process may use " + allowed.size() + ": " + allowed);
        }
        return new WorkerCores(List.of(allowed.get(0), allowed.get(2)), List.of(allowed.get(1), allowed.get(3)));
    }

    /** Returns true if each engine has a core of its own. */
    public boolean areFree() {
        return !engines.isEmpty();
    }

    int application(Role role) {
        return of(applications, role);
    }

    OptionalInt engine(Role role) {
        return areFree() ? OptionalInt.of(of(engines, role)) : OptionalInt.empty();
    }

    private static int of(List<Integer> cores, Role role) {
        return cores.get(role == Role.ORIGIN ? 0 : 1);
    }
}
