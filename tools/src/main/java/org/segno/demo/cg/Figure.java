package org.segno.demo.cg;

/** Figures that every rank measures or counts and that the report shows for the whole job. */
enum Figure {
    /** Median time of an iteration. */
    ITERATION_MICROS,
    /** Median time of an iteration at the slowest rank, the same at all ranks. */
    SLOWEST_ITERATION_MICROS,
    /** Median time of the computation in an iteration. */
    COMPUTE_MICROS,
    /** Median time of an iteration's exchange of ghosts. */
    EXCHANGE_MICROS,
    /** Median time of an iteration's two sums. */
    REDUCE_MICROS,
    /** Median of exchange and sums together. */
    COMMUNICATION_MICROS,
    /** Cost of the application's calls that replay an exchange. */
    REPLAY_NANOS,
    /** Cost of the application's calls that inject the messages of an exchange. */
    INJECT_NANOS,
    /** Number of messages of an iteration's exchange. */
    HALO_MESSAGES,
    /** Number of bytes of an iteration's exchange. */
    HALO_BYTES,
    /** Number of messages of an iteration's sums. */
    REDUCE_MESSAGES,
    /** Number of bytes of an iteration's sums. */
    REDUCE_BYTES
}
