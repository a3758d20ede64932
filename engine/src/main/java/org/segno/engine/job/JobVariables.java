package org.segno.engine.job;

/** Names of the variables that assign a process its rank in a job. */
public final class JobVariables {
    /** The rank of this process, from 0. */
    public static final String RANK = "SEGNO_RANK";

    /** The number of ranks in the job. */
    public static final String SIZE = "SEGNO_SIZE";

    /** The rank among those of this host; the rank itself by default. */
    public static final String LOCAL_RANK = "SEGNO_LOCAL_RANK";

    /** The number of ranks on this host; all of them by default. */
    public static final String LOCAL_SIZE = "SEGNO_LOCAL_SIZE";

    /** The job's name, the same for all ranks. */
    public static final String JOB = "SEGNO_JOB";

    /** The parent of job directories. */
    public static final String DIR = "SEGNO_DIR";

    /** The time after which joining fails, as {@code 30s} or {@code 500ms}. */
    public static final String START_TIMEOUT = "SEGNO_START_TIMEOUT";

    /** {@code true} keeps the job directory. */
    public static final String KEEP = "SEGNO_KEEP";

    /** {@code true} means that the launcher is the hub, and that its ranks end with it. */
    public static final String LAUNCHED = "SEGNO_LAUNCHED";

    /** The number of the core that the engine's thread is bound to. */
    public static final String ENGINE_CORE = "SEGNO_ENGINE_CORE";

    /** The address and TCP port of the job's hub, as {@code 10.0.0.1:7000}, for ranks of several hosts. */
    public static final String HUB = "SEGNO_HUB";

    /** The file with the job's secret, for ranks of several hosts. */
    public static final String SECRET_FILE = "SEGNO_SECRET_FILE";

    /** The time after which a silent host is dead, as {@code 2s}. */
    public static final String SILENCE = "SEGNO_SILENCE";

    /** The network of the addresses that links use, as {@code 10.0.0.0/8}, or the name of an interface. */
    public static final String NET = "SEGNO_NET";

    /** The bytes of the longest datagram's payload that links send, as {@code 1408}. */
    public static final String MTU = "SEGNO_MTU";

    /** The first and last port: TCP of the launcher's hub, UDP of links; as {@code 7001:7100}. */
    public static final String PORT_RANGE = "SEGNO_PORT_RANGE";

    private JobVariables() {}
}
