package org.segno.engine.job;

/**
 * What a rank states about itself to all others, before its node is made.
 *
 * @param topic number of the kind of statement
 * @param upper word, whose meaning depends on the topic
 * @param lower word
 */
public record Statement(int topic, long upper, long lower) {}
