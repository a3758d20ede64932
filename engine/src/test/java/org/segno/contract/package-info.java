/**
 * Behaviours that every node has, whatever joins it to its peers: mapped memory, links, or both in one job. {@link
 * org.segno.contract.Behaviour} marks them.
 */
@NullMarked
package org.segno.contract;

import org.jspecify.annotations.NullMarked;
