package org.segno.wrong.context;

import org.segno.wrong.engine.dma.Engine;

/** Knows its own level, which is the other side too. */
final class Sideways {
    Engine engine = new Engine();
}
