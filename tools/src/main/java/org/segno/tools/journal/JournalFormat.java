package org.segno.tools.journal;

import java.nio.ByteOrder;
import java.nio.file.Path;

/**
 * Format of a journal. A directory has one Chronicle Queue per rank, {@code rank-0}, {@code rank-1} and so on. Each
 * document of a queue is one record:
 *
 * <pre>
 *  offset  length  field      meaning
 *       0       4  length     of the record, in bytes
 *       4       4  checksum   CRC32C of the length and of everything after this field
 *       8       8  sequence   0 for the first record of a rank, then one more for each
 *      16      56  body       fields of {@link org.segno.engine.trace.TraceRecord}; kind {@link #HEADER} or
 *                             {@link #END} for the first and the last record
 *      72          BODY_END, followed by descriptors, by bytes of a payload, or by the fields below
 * </pre>
 *
 * <p>The first record of each rank, whose kind is {@link #HEADER}:
 *
 * <pre>
 *  offset  length  field      meaning
 *      72       8  magic      {@link #MAGIC}
 *      80       4  version    {@link #VERSION}
 *      84       4  rank
 *      88       4  size       ranks of the job
 *      92       4  flags      1: patterns alone; 2: with payloads
 *      96       4  contexts   of the rank
 *     100       4  engines    of the rank
 *     104       8  pid        process of the rank
 *     112       8  epoch      nanoseconds since 1970 at the reference
 *     120       8  reference  of the times of all records: {@link System#nanoTime}
 *     128       4  length     of the name of the job, in bytes of UTF-8
 *     132       4  namespace  number of the PID namespace of the process
 *     136       8  start      of the process, in clock ticks since the system started
 *     144      16  boot       id of the run of the system
 *     160          name
 * </pre>
 *
 * <p>In version 1 the name is at 132, and the three fields before it do not exist.
 *
 * <p>The last record, whose kind is {@link #END}, has the totals of what was lost in the fields of a record of lost
 * ones. Words are in the byte order of the machine that has written them. The fields of a record before its contents,
 * and those of the header up to the version, stay the same in every version.
 */
final class JournalFormat {
    /** Version of the format that is written. */
    static final int VERSION = 2;

    /** First version whose header identifies the process of the rank. */
    static final int VERSION_WITH_PROCESS = 2;

    /** Oldest version of the format that is read. */
    static final int OLDEST_VERSION = 1;

    /** The bytes {@code SEGNOJNL}, as a word of a machine with its least significant byte first. */
    static final long MAGIC = 0x4C4E4A4F4E474553L;

    /** Kind of the first record. */
    static final int HEADER = 64;

    /** Kind of the last record of a rank that has closed its node. */
    static final int END = 65;

    static final int CHECKSUM_OFFSET = 4;
    static final int SEQUENCE_OFFSET = 8;
    static final int BODY_OFFSET = 16;
    static final int BODY_END = 72;

    static final int MAGIC_OFFSET = 72;
    static final int VERSION_OFFSET = 80;
    static final int RANK_OFFSET = 84;
    static final int SIZE_OFFSET = 88;
    static final int FLAGS_OFFSET = 92;
    static final int CONTEXTS_OFFSET = 96;
    static final int ENGINES_OFFSET = 100;
    static final int PID_OFFSET = 104;
    static final int EPOCH_OFFSET = 112;
    static final int REFERENCE_OFFSET = 120;
    static final int NAME_LENGTH_OFFSET = 128;
    static final int NAMESPACE_OFFSET = 132;
    static final int START_OFFSET = 136;
    static final int BOOT_OFFSET = 144;

    /** Length of the shortest header, which is one of version 1. */
    static final int MIN_HEADER_LENGTH = 132;

    private static final int NAME_OFFSET = 160;

    static final int PATTERNS_ALONE = 1;
    static final int WITH_PAYLOADS = 2;

    /** Maximum length of a name of a job, in bytes. */
    static final int MAX_NAME_LENGTH = 1024;

    /** Maximum length of a record: an eighth of the largest ring, and the fields before it. */
    static final int MAX_LENGTH = (1 << 27) + BODY_OFFSET;

    static final ByteOrder ORDER = ByteOrder.nativeOrder();

    private static final String PREFIX = "rank-";

    private JournalFormat() {}

    /** Returns the offset of the name of the job in a header of a version that is read. */
    static int nameOffset(int version) {
        return version < VERSION_WITH_PROCESS ? MIN_HEADER_LENGTH : NAME_OFFSET;
    }

    /** Returns the directory of a rank's queue. */
    static Path directory(Path journal, int rank) {
        return journal.resolve(PREFIX + rank);
    }

    /** Returns the rank of a queue's directory, or -1 if the directory is none. */
    static int rankOf(Path directory) {
        final String name = directory.getFileName().toString();
        return name.matches(PREFIX + "(0|[1-9]\\d{0,8})") ? Integer.parseInt(name.substring(PREFIX.length())) : -1;
    }
}
