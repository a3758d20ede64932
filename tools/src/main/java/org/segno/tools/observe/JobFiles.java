package org.segno.tools.observe;

import java.nio.file.Path;
import java.util.Map;
import java.util.TreeMap;

/**
 * Files of a job that was found: its names and the paths of its node files.
 *
 * @param directory name of its directory: {@code segno-user-job-digits}
 * @param name the job's name, with its digits
 * @param id the job's id from its files, which distinguishes two runs with the same name; empty if it cannot be read
 * @param kept true if its directory still exists
 * @param nodes path of each rank's file: in the directory, or among the open files of a process
 */
record JobFiles(String directory, String name, String id, boolean kept, Map<Integer, Path> nodes) {
    private static final int DIGITS = 16;
    private static final int HIDDEN_DIGITS = 12;

    JobFiles {
        nodes = new TreeMap<>(nodes);
    }

    /** Returns the name as the launcher prints it, with four of its sixteen digits. */
    String shortName() {
        return name.substring(0, name.length() - HIDDEN_DIGITS);
    }

    /** Returns true if none of its files can be read, so that nothing of the job can be shown. */
    boolean isUnreadable() {
        return id.isEmpty();
    }

    /**
     * Returns true if {@code word} names this job: by its whole name, the name of its directory, or the name with some
     * or none of the digits.
     */
    boolean isMeant(String word) {
        final String base = name.substring(0, name.length() - DIGITS - 1);
        return word.equals(directory)
                || word.equals(base)
                || (word.length() > base.length() + 1 && name.startsWith(word));
    }
}
