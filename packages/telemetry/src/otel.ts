import {
  type Context,
  context,
  type Span as OtelSpan,
  SpanKind as OtelSpanKind,
  ROOT_CONTEXT,
  SpanStatusCode,
  TraceFlags,
  trace,
} from '@opentelemetry/api';
import type { Resource } from '@opentelemetry/resources';
import { BatchSpanProcessor, NodeTracerProvider, type SpanExporter } from '@opentelemetry/sdk-trace-node';
import type { TraceParent } from './trace-parent.ts';
import { noSpan, type Span, type SpanKind, type SpanOptions, type Tracing } from './tracing.ts';

const kinds: Record<SpanKind, OtelSpanKind> = {
  server: OtelSpanKind.SERVER,
  client: OtelSpanKind.CLIENT,
  internal: OtelSpanKind.INTERNAL,
};

function contextOf(parent: TraceParent | null | undefined): Context {
  if (parent === undefined) return context.active();
  if (parent === null) return ROOT_CONTEXT;
  const { traceId, spanId, isSampled } = parent;
  const traceFlags = isSampled ? TraceFlags.SAMPLED : TraceFlags.NONE;
  return trace.setSpanContext(ROOT_CONTEXT, { traceId, spanId, traceFlags, isRemote: true });
}

function toSpan(span: OtelSpan): Span & { end(): void } {
  const { traceId, spanId, traceFlags } = span.spanContext();
  return {
    parent: { traceId, spanId, isSampled: (traceFlags & TraceFlags.SAMPLED) !== 0 },
    rename: (name) => {
      span.updateName(name);
    },
    set: (attributes) => {
      span.setAttributes(attributes);
    },
    fail: (message) => {
      span.setStatus({ code: SpanStatusCode.ERROR, message });
    },
    end: () => span.end(),
  };
}

/** Maximum time that a shutdown waits for the collector. */
const patience_ms = 2000;

/** Tracing through the official OpenTelemetry libraries, with batched export. Create one instance per process. */
export function createTracing(resource: Resource, exporter: SpanExporter): Tracing {
  const provider = new NodeTracerProvider({ resource, spanProcessors: [new BatchSpanProcessor(exporter)] });
  provider.register();
  const tracer = provider.getTracer('inferboard');
  const start = (name: string, { kind = 'internal', attributes = {}, parent }: SpanOptions) => {
    const within = contextOf(parent);
    return { within, span: tracer.startSpan(name, { kind: kinds[kind], attributes }, within) };
  };
  return {
    isOn: true,
    span: async (name, options, work) => {
      const { within, span } = start(name, options);
      const ours = toSpan(span);
      try {
        return await context.with(trace.setSpan(within, span), () => work(ours));
      } catch (error) {
        // Records only the error's name: messages may contain user input.
        ours.fail(error instanceof Error ? error.name : 'Error');
        throw error;
      } finally {
        span.end();
      }
    },
    begin: (name, options) => {
      const isPart = options.parent !== undefined || trace.getSpan(context.active()) !== undefined;
      return isPart ? toSpan(start(name, options).span) : noSpan;
    },
    stop: async () => {
      let timer: NodeJS.Timeout | undefined;
      const late = new Promise<void>((resolve) => {
        timer = setTimeout(resolve, patience_ms);
      });
      // An unavailable collector must not delay the shutdown.
      await Promise.race([provider.shutdown().catch(() => {}), late]);
      clearTimeout(timer);
    },
  };
}
