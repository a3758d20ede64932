package org.segno.bench.death;

/** Exception for a wait for a killed rank that ended in another way than with an error that names the rank. */
final class WrongEndException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    WrongEndException(String message) {
        super(message);
    }
}
