package org.segno.wrong.engine.memory;

import org.agrona.concurrent.UnsafeBuffer;

/** In order: knows Agrona and arrays. */
public final class Words {
    UnsafeBuffer words = new UnsafeBuffer();
    long[] copies = new long[1];
}
