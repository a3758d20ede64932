package org.segno.node;

import org.segno.engine.job.JobSettings;

/** Functions of this package's types for the engine's own packages and the tools; not for applications. */
public final class NodeAccess {
    private NodeAccess() {}

    /** Returns what the job's directory and its membership need. */
    public static JobSettings settings(JobConfig config) {
        return config.settings();
    }

    /** Returns the defaults of Segno, whatever properties and variables of this process set. */
    public static NodeConfig builtInConfig() {
        return NodeConfig.builtIn();
    }
}
