/**
 * Requests of an application, and its handlers: messages, atomic changes, notifications, posted work.
 *
 * <p>{@code context} checks the requests and injects them, and calls the handlers.
 */
@NullMarked
package org.segno.operation;

import org.jspecify.annotations.NullMarked;
