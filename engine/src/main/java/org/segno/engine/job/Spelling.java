package org.segno.engine.job;

import java.util.Collection;
import java.util.Optional;
import java.util.TreeSet;

/** Search for the name that a user has probably meant: of a variable, property, setting, option or command. */
public final class Spelling {
    /** Largest number of edits between a word and a suggestion. Names further away have nothing to do with the word. */
    public static final int MAX_DISTANCE = 2;

    private Spelling() {}

    /**
     * Returns the known name nearest to a word: the one that the fewest edits (insert, delete, replace a letter) turn
     * it into, at most {@value #MAX_DISTANCE}, and fewer than the shorter of both has letters. The first in
     * alphabetical order of several; empty if there is none.
     *
     * @param word the word, without a prefix that all names share
     * @param names the known names, likewise
     */
    public static Optional<String> nearest(String word, Collection<String> names) {
        String best = null;
        int bestDistance = MAX_DISTANCE + 1;
        for (final String name : new TreeSet<>(names)) {
            final int distance = distance(word, name);
            if (distance < bestDistance && distance < Math.min(word.length(), name.length())) {
                best = name;
                bestDistance = distance;
            }
        }
        return Optional.ofNullable(best);
    }

    /** Returns the number of edits that turn one word into the other. */
    private static int distance(String from, String to) {
        int[] above = new int[to.length() + 1];
        for (int column = 0; column <= to.length(); column++) {
            above[column] = column;
        }
        for (int row = 1; row <= from.length(); row++) {
            final int[] current = new int[to.length() + 1];
            current[0] = row;
            for (int column = 1; column <= to.length(); column++) {
                final int replaced = above[column - 1] + (from.charAt(row - 1) == to.charAt(column - 1) ? 0 : 1);
                current[column] = Math.min(replaced, Math.min(above[column], current[column - 1]) + 1);
            }
            above = current;
        }
        return above[to.length()];
    }
}
