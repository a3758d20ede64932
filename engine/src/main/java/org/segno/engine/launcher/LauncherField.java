package org.segno.engine.launcher;

/** Property of a process's place in a job that a launcher may provide. */
public enum LauncherField {
    /** The rank, from 0. */
    RANK("the rank"),

    /** The number of ranks. */
    SIZE("the size"),

    /** The rank among those of its host, from 0. */
    LOCAL_RANK("the local rank"),

    /** The number of ranks on its host. */
    LOCAL_SIZE("the local size"),

    /** A name that all ranks of the job have, and no other job that may run on this host at the same time. */
    JOB("the job");

    private final String words;

    LauncherField(String words) {
        this.words = words;
    }

    @Override
    public String toString() {
        return words;
    }
}
