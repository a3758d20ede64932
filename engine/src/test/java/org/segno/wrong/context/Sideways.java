package org.segno.wrong.context;

import org.segno.wrong.engine.dma.Engine;

/** Class that uses its own level, on the other side. */
final class Sideways {
    Engine engine = new Engine();
}
