package org.segno.tools.demo.cg;

/** Something that every rank measures or counts and that the report gives for the whole job. */
enum Figure {
    /** Median time of an iteration. */
    ITERATION_MICROS,
    /** Median time of an iteration that a rank computes. */
    COMPUTE_MICROS,
    /** Median time of an iteration's exchange of ghosts. */
    EXCHANGE_MICROS,
    /** Median time of an iteration's two sums. */
    REDUCE_MICROS,
    /** Median of exchange and sums together. */
    COMMUNICATION_MICROS,
    /** The application's cost of replaying an exchange. */
    REPLAY_NANOS,
    /** The application's cost of injecting the messages of an exchange. */
    INJECT_NANOS,
    /** Messages of an iteration's exchange. */
    HALO_MESSAGES,
    /** Bytes of an iteration's exchange. */
    HALO_BYTES,
    /** Messages of an iteration's sums. */
    REDUCE_MESSAGES,
    /** Bytes of an iteration's sums. */
    REDUCE_BYTES
}
