package org.segno.tools.doctor;

/**
 * The result of a check, one line of the doctor's report.
 *
 * @param state the severity
 * @param check the name of the check in machine-readable reports
 * @param measured the observation, in words and figures
 * @param why the reason why it matters; empty if the state is ok
 * @param remedy the remedy; empty if none is needed
 */
record Finding(State state, String check, String measured, String why, String remedy) {
    /** The severity of a finding. */
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
