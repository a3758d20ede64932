package org.segno.contract;

import static java.util.Objects.requireNonNull;

import java.lang.reflect.Method;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.extension.Extension;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ExtensionContext.Namespace;
import org.junit.jupiter.api.extension.InvocationInterceptor;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.ParameterResolver;
import org.junit.jupiter.api.extension.ReflectiveInvocationContext;
import org.junit.jupiter.api.extension.TestTemplateInvocationContext;
import org.junit.jupiter.api.extension.TestTemplateInvocationContextProvider;

/** Runs a behaviour for each pairing, and enters its result in the table. */
final class ContractExtension implements TestTemplateInvocationContextProvider {
    @Override
    public boolean supportsTestTemplate(ExtensionContext context) {
        return true;
    }

    @Override
    public Stream<TestTemplateInvocationContext> provideTestTemplateInvocationContexts(ExtensionContext context) {
        final Behaviour behaviour = context.getRequiredTestMethod().getAnnotation(Behaviour.class);
        // Links of a transport are tested where one takes part.
        final boolean areNamed = !System.getProperty(ContractLinks.PROPERTY, "").isEmpty();
        return Arrays.stream(Pairing.values())
                .filter(pairing -> !areNamed || pairing.isLinked(behaviour.all()))
                .map(pairing -> new Run(behaviour, pairing));
    }

    /** One run of a behaviour. */
    private static final class Run implements TestTemplateInvocationContext, ParameterResolver, InvocationInterceptor {
        private final Behaviour behaviour;
        private final Pairing pairing;
        private @Nullable ContractJob job;

        Run(Behaviour behaviour, Pairing pairing) {
            this.behaviour = behaviour;
            this.pairing = pairing;
        }

        @Override
        public String getDisplayName(int index) {
            return behaviour.number() + " " + pairing + ": " + behaviour.value();
        }

        @Override
        public List<Extension> getAdditionalExtensions() {
            return List.of(this);
        }

        @Override
        public boolean supportsParameter(ParameterContext parameter, ExtensionContext context) {
            return parameter.getParameter().getType() == ContractJob.class;
        }

        @Override
        public ContractJob resolveParameter(ParameterContext parameter, ExtensionContext context) {
            final ContractJob opened = ContractJob.open(pairing);
            job = opened;
            return opened;
        }

        @Override
        public void interceptTestTemplateMethod(
                Invocation<Void> invocation,
                ReflectiveInvocationContext<Method> invocationContext,
                ExtensionContext context)
                throws Throwable {
            final ContractTable table = context.getRoot()
                    .getStore(Namespace.create(ContractTable.class))
                    .getOrComputeIfAbsent(ContractTable.class, key -> new ContractTable(), ContractTable.class);
            final Throwable failure = failure(invocation);
            table.enter(behaviour, pairing, failure == null ? "pass" : "FAIL");
            if (failure != null) {
                throw failure;
            }
        }

        private @Nullable Throwable failure(Invocation<Void> invocation) {
            try {
                invocation.proceed();
                return null;
            } catch (final Throwable e) {
                return e;
            } finally {
                // Throws what an engine has thrown.
                requireNonNull(job).close();
            }
        }
    }
}
