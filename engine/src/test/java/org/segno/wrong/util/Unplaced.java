package org.segno.wrong.util;

/** Class in a package without a level. */
final class Unplaced {}
