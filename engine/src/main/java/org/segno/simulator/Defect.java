package org.segno.simulator;

/**
 * Something that a check of a simulation has found.
 *
 * @param check the check
 * @param text what is wrong, for people
 */
public record Defect(Check check, String text) {}
