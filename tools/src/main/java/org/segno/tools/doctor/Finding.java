package org.segno.tools.doctor;

/**
 * One line of the doctor's.
 *
 * @param state how it is
 * @param check what was looked at, as programs know it
 * @param measured what was found, in words and figures
 * @param why it matters; empty where it is as it should be
 * @param remedy what to do; empty where there is nothing to do
 */
record Finding(State state, String check, String measured, String why, String remedy) {
    /** How something is. */
    enum State {
        OK("ok"),
        NOTE("note"),
        WARN("WARN"),
        FAIL("FAIL");

        private final String word;

        State(String word) {
            this.word = word;
        }

        @Override
        public String toString() {
            return word;
        }
    }

    static Finding ok(String check, String measured) {
        return new Finding(State.OK, check, measured, "", "");
    }

    static Finding note(String check, String measured, String why) {
        return new Finding(State.NOTE, check, measured, why, "");
    }

    static Finding warning(String check, String measured, String why, String remedy) {
        return new Finding(State.WARN, check, measured, why, remedy);
    }

    static Finding failure(String check, String measured, String why, String remedy) {
        return new Finding(State.FAIL, check, measured, why, remedy);
    }
}
