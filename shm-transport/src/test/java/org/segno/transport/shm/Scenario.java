package org.segno.transport.shm;

/** Role of one process of a job under test. Its class names it, and another process instantiates that class. */
@FunctionalInterface
interface Scenario {
    /** Runs the scenario to its end; an exception is reported to the test. */
    void run(ScenarioRun run) throws Exception;
}
