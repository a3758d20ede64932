package org.segno.wrong.engine.fifo;

import org.segno.wrong.engine.memory.Words;

/** In order: knows a lower level. */
public final class Ring {
    Words words = new Words();
}
