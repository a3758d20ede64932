package org.segno.wrong.engine.memory;

import org.segno.wrong.engine.fifo.Ring;

/** Class that uses a higher level. */
final class Upwards {
    Ring ring = new Ring();
}
