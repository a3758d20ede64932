package org.segno.simulator;

/**
 * Something that a check of a simulation has found.
 *
 * @param check the promise that does not hold
 * @param text description of the difference
 */
public record Defect(Guarantee check, String text) {}
