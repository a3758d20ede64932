package org.segno.engine.job;

import java.math.BigInteger;
import java.util.List;

/** Set of cores, one bit each, as Linux states the affinity of a process. */
public final class CoreMask {
    private static final String FIELD = "Cpus_allowed:";
    private static final int HEXADECIMAL = 16;

    private CoreMask() {}

    /**
     * Returns the cores on which a process may run.
     *
     * @param status the lines of its file {@code status}, in which words of 32 cores are separated by commas
     * @return zero if the lines do not state them
     */
    static BigInteger of(List<String> status) {
        return status.stream()
                .filter(line -> line.startsWith(FIELD))
                .map(line ->
                        new BigInteger(line.substring(FIELD.length()).strip().replace(",", ""), HEXADECIMAL))
                .findFirst()
                .orElse(BigInteger.ZERO);
    }

    /**
     * Returns true if each thread of some processes has a core of its own, as far as one of the processes is concerned:
     * those that can run on its cores have as many cores together as threads, and so have those that can run on no
     * others than its cores.
     *
     * @param own cores of the one process; the list contains them, too
     * @param all cores of each process; zero if they are not known
     * @param threads number of threads of each process
     */
    public static boolean haveOwnCores(BigInteger own, List<BigInteger> all, int threads) {
        BigInteger reached = own;
        int neighbours = 0;
        int confined = 0;
        for (final BigInteger cores : all) {
            if (cores.signum() == 0) {
                return false;
            }
            if (cores.and(own).signum() != 0) {
                reached = reached.or(cores);
                neighbours++;
            }
            if (cores.andNot(own).signum() == 0) {
                confined++;
            }
        }
        return neighbours * threads <= reached.bitCount() && confined * threads <= own.bitCount();
    }
}
