package org.segno.wrong.pattern;

import org.assertj.core.api.Assertions;

/** Class that uses a library that the engine may not use. */
public final class Section {
    Class<?> library = Assertions.class;
}
