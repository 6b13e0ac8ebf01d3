import type { Tracing } from './tracing.ts';

/** Maximum characters of a statement to keep: board queries have a few thousand. */
const statementMost = 2000;

/** The statement's verb, as a span name with few distinct values. */
const verbOf = (statement: string) => /^\s*(\w+)/.exec(statement)?.[1]?.toUpperCase() ?? 'SQL';

/** Creates a span for each statement within a traced operation. */
export function statementObserver({ begin }: Tracing) {
  return () => {
    const span = begin('SQL', { kind: 'client', attributes: { 'db.system.name': 'postgresql' } });
    return ({ statement, failed }: { statement: string; failed: boolean }) => {
      const verb = verbOf(statement);
      span.rename(verb);
      span.set({ 'db.operation.name': verb, 'db.query.text': statement.slice(0, statementMost) });
      if (failed) span.fail('the database returned an error');
      span.end();
    };
  };
}

/**
 * Creates a span for each outbound request within a traced operation. Records only the host of the URL; the rest may be secret.
 */
export function exchangeObserver({ begin }: Tracing) {
  return ({ method, host }: { method: string; host: string }) => {
    const attributes = { 'http.request.method': method, 'server.address': host };
    const span = begin(method, { kind: 'client', attributes });
    return ({ status, words }: { status: number | null; words: string | null }) => {
      if (status !== null) span.set({ 'http.response.status_code': status });
      if (words !== null) span.fail(words);
      span.end();
    };
  };
}
