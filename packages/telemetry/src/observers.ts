import type { Tracing } from './tracing.ts';

/** Letters of a statement that are kept: boards ask in a few thousand. */
const statementMost = 2000;

/** The statement's verb, for a name that has few values. */
const verbOf = (statement: string) => /^\s*(\w+)/.exec(statement)?.[1]?.toUpperCase() ?? 'SQL';

/** A span for each statement that is sent as part of something that is traced. */
export function statementObserver({ begin }: Tracing) {
  return () => {
    const span = begin('SQL', { kind: 'client', attributes: { 'db.system.name': 'postgresql' } });
    return ({ statement, failed }: { statement: string; failed: boolean }) => {
      const verb = verbOf(statement);
      span.rename(verb);
      span.set({ 'db.operation.name': verb, 'db.query.text': statement.slice(0, statementMost) });
      if (failed) span.fail('the database refused it');
      span.end();
    };
  };
}

/** A span for each request that leaves as part of something that is traced. Of its address only the host is told: the rest may be a secret. */
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
