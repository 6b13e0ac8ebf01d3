import type { TraceParent } from './trace-parent.ts';

export type SpanKind = 'server' | 'client' | 'internal';
export type SpanAttributes = Record<string, string | number | boolean>;

/** Something that is under way. */
export interface Span {
  /** Its place in the trace; null where nothing is traced. */
  readonly parent: TraceParent | null;
  rename(name: string): void;
  set(attributes: SpanAttributes): void;
  /** It went wrong. Says how in our words, never in those of a stranger. */
  fail(words: string): void;
}

export interface SpanOptions {
  kind?: SpanKind;
  attributes?: SpanAttributes;
  /** Where the trace comes from; left away: what is under way here, and null: it begins here. */
  parent?: TraceParent | null;
}

/** Tells whoever collects traces what took how long, and as part of what. */
export interface Tracing {
  readonly isOn: boolean;
  /** Does work as a span of its own; what it throws ends the span as failed and is thrown on. */
  span<T>(name: string, options: SpanOptions, work: (span: Span) => Promise<T>): Promise<T>;
  /** Begins a span that others end; none where nothing is under way that it would be part of. */
  begin(name: string, options: SpanOptions): Span & { end(): void };
  /** Sends what was not sent yet, for a moment. */
  stop(): Promise<void>;
}

const nothing = () => {};
export const noSpan = { parent: null, rename: nothing, set: nothing, fail: nothing, end: nothing };

/** Where nobody collects. */
export const noTracing: Tracing = {
  isOn: false,
  span: (_name, _options, work) => work(noSpan),
  begin: () => noSpan,
  stop: async () => {},
};
