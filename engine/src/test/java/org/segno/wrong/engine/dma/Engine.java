package org.segno.wrong.engine.dma;

import org.segno.wrong.pattern.Section;

/** Class that uses a lower level, but on the other side. */
public final class Engine {
    Section section = new Section();
}
