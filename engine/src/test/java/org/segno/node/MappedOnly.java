package org.segno.node;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/** Test that runs only over mapped memory, in a class that otherwise runs {@link OverMemoryAndLinks}. */
@Target(ElementType.METHOD)
@Retention(RetentionPolicy.RUNTIME)
public @interface MappedOnly {
    /** Over links a lookup, a first message, a fence and a close end when the peer has advanced. */
    String ONE_THREAD = "its one thread waits for a rank that nobody advances meanwhile";

    /** Over links a loan lies in memory of its own rank. */
    String LOCAL_LOANS = "over links no rank waits for the loans of another";

    /** The engines of linked ranks do not write in the memory of a node. */
    String NAMES_MAPPED = "it names ranks whose memory is mapped";

    /** Returns the reason. */
    String value();

    /** Returns the only threading for which that is so, one of the test's arguments; empty for all. */
    String threading() default "";
}
