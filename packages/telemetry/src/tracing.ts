import type { TraceParent } from './trace-parent.ts';

export type SpanKind = 'server' | 'client' | 'internal';
export type SpanAttributes = Record<string, string | number | boolean>;

/** An operation in progress. */
export interface Span {
  /** Its position in the trace; null if tracing is disabled. */
  readonly parent: TraceParent | null;
  rename(name: string): void;
  set(attributes: SpanAttributes): void;
  /** Marks the operation as failed, with our own message. Never pass user input. */
  fail(words: string): void;
}

export interface SpanOptions {
  kind?: SpanKind;
  attributes?: SpanAttributes;
  /** The parent span. Omitted: the current one. Null: starts a new trace. */
  parent?: TraceParent | null;
}

/** Records the duration of operations and their parents. */
export interface Tracing {
  readonly isOn: boolean;
  /** Runs work in a new span. An exception ends the span as failed and is rethrown. */
  span<T>(name: string, options: SpanOptions, work: (span: Span) => Promise<T>): Promise<T>;
  /** Starts a span that the caller ends. No-op outside a traced operation. */
  begin(name: string, options: SpanOptions): Span & { end(): void };
  /** Sends buffered spans, within a time limit. */
  stop(): Promise<void>;
}

const nothing = () => {};
export const noSpan = { parent: null, rename: nothing, set: nothing, fail: nothing, end: nothing };

/** Disabled tracing. */
export const noTracing: Tracing = {
  isOn: false,
  span: (_name, _options, work) => work(noSpan),
  begin: () => noSpan,
  stop: async () => {},
};
