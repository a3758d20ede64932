package org.segno.engine.dma;

import org.segno.engine.combine.Arithmetic;
import org.segno.engine.combine.UserOperators;
import org.segno.engine.memory.NodeMemory;

/** What the executors of COMBINE of one engine share. Used only by the engine's thread. */
final class CombineFunctions {
    private final Arithmetic arithmetic;
    private UserOperators operators = new UserOperators();

    CombineFunctions(NodeMemory node) {
        this.arithmetic = new Arithmetic(node.arena());
    }

    /** Returns the built-in operators, with this engine's memory for intermediate results. */
    Arithmetic arithmetic() {
        return arithmetic;
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
