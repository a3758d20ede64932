package org.segno.wrong.engine.memory;

import org.agrona.concurrent.UnsafeBuffer;

/** Class that uses Agrona and arrays, as permitted. */
public final class Words {
    UnsafeBuffer words = new UnsafeBuffer();
    long[] copies = new long[1];
}
