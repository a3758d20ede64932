package org.segno.bench.jmh;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Mark of a benchmark whose allocation is reported and accepted: that of an operation that is done once, before the
 * messages flow, or that of Aeron's driver, which allocates a little from time to time.
 */
@Documented
@Retention(RetentionPolicy.RUNTIME)
@Target(ElementType.METHOD)
public @interface AllocatesByDesign {}
