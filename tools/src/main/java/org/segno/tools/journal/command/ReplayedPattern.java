package org.segno.tools.journal.command;

import java.util.List;
import org.segno.pattern.Pattern;
import org.segno.tools.journal.PatternSections.Section;

/**
 * A pattern of a journal that a rank replays.
 *
 * @param section of the journal
 * @param operations of the section
 * @param places of each operation
 * @param pattern prepared from them, without ARMs, WAITs and COMBINEs
 */
record ReplayedPattern(
        Section section, List<RecordedOperation> operations, List<ReplayPlace> places, Pattern pattern) {}
