package org.segno.wrong.pattern;

import org.assertj.core.api.Assertions;

/** Knows a library that the engine may not know. */
public final class Section {
    Class<?> library = Assertions.class;
}
