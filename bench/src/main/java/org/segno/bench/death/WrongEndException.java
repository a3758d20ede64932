package org.segno.bench.death;

/** A wait for a killed rank ended in another way than with an error that names it. */
final class WrongEndException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    WrongEndException(String message) {
        super(message);
    }
}
