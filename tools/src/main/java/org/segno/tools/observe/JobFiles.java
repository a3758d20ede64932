package org.segno.tools.observe;

import java.nio.file.Path;
import java.util.Map;
import java.util.TreeMap;

/**
 * A job as it was found: its name and where its node files can be read.
 *
 * @param directory name of its directory: {@code segno-user-job-digits}
 * @param name the job's name, with its digits
 * @param id the job's id, as its files have it, so that two runs of one name are told apart; empty if it cannot be read
 * @param kept true if its directory is still there
 * @param nodes where each rank's file lies: in the directory, or among the open files of a process
 */
record JobFiles(String directory, String name, String id, boolean kept, Map<Integer, Path> nodes) {
    private static final int DIGITS = 16;
    private static final int HIDDEN_DIGITS = 12;

    JobFiles {
        nodes = new TreeMap<>(nodes);
    }

    /** The name as the launcher prints it: four of its sixteen digits. */
    String shortName() {
        return name.substring(0, name.length() - HIDDEN_DIGITS);
    }

    /** True if none of its files can be read: whatever this is, it shows nothing of a job. */
    boolean isUnreadable() {
        return id.isEmpty();
    }

    /** True if somebody means this job: by its whole name, that of its directory, or either with some or none of the digits. */
    boolean isMeant(String word) {
        final String base = name.substring(0, name.length() - DIGITS - 1);
        return word.equals(directory)
                || word.equals(base)
                || (word.length() > base.length() + 1 && name.startsWith(word));
    }
}
