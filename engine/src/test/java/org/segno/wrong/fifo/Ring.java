package org.segno.wrong.fifo;

import org.segno.wrong.memory.Words;

/** In order: knows a lower level. */
public final class Ring {
    Words words = new Words();
}
