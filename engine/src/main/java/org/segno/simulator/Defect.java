package org.segno.simulator;

/**
 * Something that a check of a simulation has found.
 *
 * @param check the promise that does not hold
 * @param text what is wrong, for people
 */
public record Defect(Guarantee check, String text) {}
