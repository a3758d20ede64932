package org.segno.wrong.memory;

import org.segno.wrong.fifo.Ring;

/** Knows a higher level. */
final class Upwards {
    Ring ring = new Ring();
}
