package org.segno.context;

import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * Settings of a node for the geometries that are created in it.
 *
 * @param algorithmTable file with the table that selects algorithms; null for the library's table
 * @param checksRounds true if all members compare each round before it starts
 */
public record CollectiveSettings(@Nullable Path algorithmTable, boolean checksRounds) {
    /** The settings of a node without any. */
    public static final CollectiveSettings DEFAULT = new CollectiveSettings(null, false);
}
