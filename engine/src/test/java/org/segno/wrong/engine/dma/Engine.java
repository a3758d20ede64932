package org.segno.wrong.engine.dma;

import org.segno.wrong.pattern.Section;

/** Knows a lower level, but of the other side. */
public final class Engine {
    Section section = new Section();
}
