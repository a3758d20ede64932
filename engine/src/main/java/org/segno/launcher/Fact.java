package org.segno.launcher;

/** What a launcher may tell a process about its place in a job. */
public enum Fact {
    /** The rank, from 0. */
    RANK("the rank"),

    /** How many ranks take part. */
    SIZE("the size"),

    /** The rank among those of its host, from 0. */
    LOCAL_RANK("the local rank"),

    /** How many ranks are on its host. */
    LOCAL_SIZE("the local size"),

    /** A name that all ranks of the job have, and no other job that this host may run at the same time. */
    JOB("the job");

    private final String words;

    Fact(String words) {
        this.words = words;
    }

    @Override
    public String toString() {
        return words;
    }
}
