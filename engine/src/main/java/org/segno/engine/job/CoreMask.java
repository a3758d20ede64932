package org.segno.engine.job;

import java.math.BigInteger;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** Set of cores, one bit each, as Linux states the affinity of a process. */
public final class CoreMask {
    private static final String FIELD = "Cpus_allowed_list:";

    private CoreMask() {}

    /**
     * Returns the cores on which a process may run.
     *
     * @param status the lines of its file {@code status}
     * @return zero if the lines do not state them
     */
    static BigInteger of(List<String> status) {
        return status.stream()
                .filter(line -> line.startsWith(FIELD))
                .map(line -> ofList(line.substring(FIELD.length())))
                .findFirst()
                .orElse(BigInteger.ZERO);
    }

    /**
     * Returns the cores of a list.
     *
     * @param list numbers and ranges in the form of Linux: {@code 0-3,8}
     */
    static BigInteger ofList(String list) {
        BigInteger cores = BigInteger.ZERO;
        for (final String range : list.strip().split(",", -1)) {
            final int dash = range.indexOf('-');
            final int first = Integer.parseInt(dash < 0 ? range : range.substring(0, dash));
            final int last = dash < 0 ? first : Integer.parseInt(range.substring(dash + 1));
            for (int core = first; core <= last; core++) {
                cores = cores.setBit(core);
            }
        }
        return cores;
    }

    /**
     * Returns true if each thread of some processes has a core of its own, as far as one of them is concerned. A
     * neighbour is a process that shares a core with it. Its cores, these with those of a neighbour, and these with
     * those of all neighbours must be as many as the threads of the processes that may run nowhere else.
     *
     * @param own cores of the one process; the list contains them, too
     * @param all cores of each process; zero if they are not known
     * @param threads number of threads of each process
     */
    public static boolean haveOwnCores(BigInteger own, List<BigInteger> all, int threads) {
        BigInteger reached = own;
        final Set<BigInteger> shared = new HashSet<>();
        for (final BigInteger cores : all) {
            if (cores.signum() == 0) {
                return false;
            }
            if (cores.and(own).signum() != 0) {
                reached = reached.or(cores);
                shared.add(cores.or(own));
            }
        }
        shared.add(reached);
        return shared.stream().allMatch(cores -> confined(all, cores) * threads <= cores.bitCount());
    }

    /** Returns the number of processes that can run on no other cores. */
    private static long confined(List<BigInteger> all, BigInteger cores) {
        return all.stream().filter(some -> some.andNot(cores).signum() == 0).count();
    }
}
