package org.segno.collective;

import org.segno.context.Context;

/**
 * A part of a collective at one member, which one context carries out: all of it, or a range of each block.
 *
 * @param context that starts it: its patterns have an engine and a persistent FIFO
 * @param algorithm that has written the schedule
 * @param schedule of this member
 * @param memory of this member
 */
record Part(Context context, Algorithm algorithm, Schedule schedule, CollectiveMemory memory) {}
