package org.segno.node;

import java.lang.reflect.Method;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.extension.AfterClassTemplateInvocationCallback;
import org.junit.jupiter.api.extension.BeforeClassTemplateInvocationCallback;
import org.junit.jupiter.api.extension.ClassTemplateInvocationContext;
import org.junit.jupiter.api.extension.ClassTemplateInvocationContextProvider;
import org.junit.jupiter.api.extension.ConditionEvaluationResult;
import org.junit.jupiter.api.extension.ExecutionCondition;
import org.junit.jupiter.api.extension.Extension;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.InvocationInterceptor;
import org.junit.jupiter.api.extension.ReflectiveInvocationContext;

/**
 * Runs the tests of a class once for each transport between ranks of one process. The property
 * {@value #TRANSPORTS} restricts them.
 */
final class TransportExtension implements ClassTemplateInvocationContextProvider {
    private static final String TRANSPORTS = "segno.tests.transports";

    @Override
    public boolean supportsClassTemplate(ExtensionContext context) {
        return true;
    }

    @Override
    public Stream<ClassTemplateInvocationContext> provideClassTemplateInvocationContexts(ExtensionContext context) {
        final String all = NodeFiles.MAPPED + "," + ProcessLinks.NAME;
        return Stream.of(System.getProperty(TRANSPORTS, all).split(",")).map(Run::new);
    }

    /**
     * Run of a class.
     *
     * @param transport between its nodes
     */
    private record Run(String transport)
            implements ClassTemplateInvocationContext,
                    BeforeClassTemplateInvocationCallback,
                    AfterClassTemplateInvocationCallback,
                    ExecutionCondition,
                    InvocationInterceptor {
        @Override
        public String getDisplayName(int index) {
            return transport;
        }

        @Override
        public List<Extension> getAdditionalExtensions() {
            return List.of(this);
        }

        @Override
        public void beforeClassTemplateInvocation(ExtensionContext context) {
            System.setProperty(NodeSetting.TRANSPORT.property(), transport);
        }

        @Override
        public void afterClassTemplateInvocation(ExtensionContext context) {
            System.clearProperty(NodeSetting.TRANSPORT.property());
        }

        @Override
        public ConditionEvaluationResult evaluateExecutionCondition(ExtensionContext context) {
            final String reason = reason(context, "");
            return reason == null
                    ? ConditionEvaluationResult.enabled(transport)
                    : ConditionEvaluationResult.disabled(reason);
        }

        @Override
        public void interceptTestTemplateMethod(
                Invocation<Void> invocation, ReflectiveInvocationContext<Method> called, ExtensionContext context)
                throws Throwable {
            for (final Object argument : called.getArguments()) {
                final String reason = reason(context, String.valueOf(argument));
                if (reason != null) {
                    invocation.skip();
                    Assumptions.abort(reason);
                }
            }
            invocation.proceed();
        }

        /** Returns the reason why a test with this threading, or with any, is not possible over this transport. */
        private @Nullable String reason(ExtensionContext context, String threading) {
            final MappedOnly mapped = context.getElement()
                    .map(element -> element.getAnnotation(MappedOnly.class))
                    .orElse(null);
            return mapped != null && !transport.equals(NodeFiles.MAPPED) && threading.equals(mapped.threading())
                    ? mapped.value()
                    : null;
        }
    }
}
