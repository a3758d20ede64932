package org.segno.wrong.util;

/** Lies in a package without a level. */
final class Unplaced {}
