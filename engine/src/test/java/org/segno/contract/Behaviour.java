package org.segno.contract;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.junit.jupiter.api.TestTemplate;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * A behaviour that nodes have whatever joins them. The method runs once for each {@link Pairing}, with the job as its
 * only argument.
 */
@Target(ElementType.METHOD)
@Retention(RetentionPolicy.RUNTIME)
@TestTemplate
@ExtendWith(ContractExtension.class)
@interface Behaviour {
    /** Number of the behaviour in the contract; each has one method. */
    int number();

    /** Sentence that states it. */
    String value();

    /** States that more ranks than the two of the pairing take part. */
    boolean all() default false;
}
