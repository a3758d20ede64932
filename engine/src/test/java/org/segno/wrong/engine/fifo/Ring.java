package org.segno.wrong.engine.fifo;

import org.segno.wrong.engine.memory.Words;

/** Class that uses a lower level, as permitted. */
public final class Ring {
    Words words = new Words();
}
