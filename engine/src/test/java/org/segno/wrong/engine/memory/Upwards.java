package org.segno.wrong.engine.memory;

import org.segno.wrong.engine.fifo.Ring;

/** Knows a higher level. */
final class Upwards {
    Ring ring = new Ring();
}
