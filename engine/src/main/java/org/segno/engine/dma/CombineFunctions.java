package org.segno.engine.dma;

import org.jspecify.annotations.Nullable;
import org.segno.engine.combine.Arithmetic;
import org.segno.engine.combine.UserOperators;
import org.segno.engine.memory.Memory;
import org.segno.engine.memory.NodeMemory;

/** Built-in and user operators, for the executors of COMBINE of one engine. Used only by the engine's thread. */
final class CombineFunctions {
    private final Memory arena;
    private @Nullable Arithmetic arithmetic;
    private UserOperators operators = new UserOperators();

    CombineFunctions(NodeMemory node) {
        this.arena = node.arena();
    }

    /**
     * Returns the built-in operators, with this engine's 14 KiB for intermediate results, made at the first use: most
     * programs combine nothing.
     */
    Arithmetic arithmetic() {
        final Arithmetic made = arithmetic;
        return made == null ? make() : made;
    }

    private Arithmetic make() {
        final Arithmetic made = new Arithmetic(arena);
        arithmetic = made;
        return made;
    }

    /** Returns the operators that applications have registered. */
    UserOperators operators() {
        return operators;
    }

    /** Sets those that the engines of the node share. Called before the first pass. */
    void operators(UserOperators ofNode) {
        operators = ofNode;
    }
}
