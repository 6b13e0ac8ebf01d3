import { expect, test } from 'vitest';
import { createLogs, type LogFormat, type LogLevel } from './log.ts';

function collect(format: LogFormat, level: LogLevel) {
  const lines: { stream: 'out' | 'err'; line: string }[] = [];
  const write = {
    out: (line: string) => void lines.push({ stream: 'out', line }),
    err: (line: string) => void lines.push({ stream: 'err', line }),
  };
  return { lines, ...createLogs({ format, level }, 'api', write) };
}

const key = `ib_${'a1B2c3D4e5'.repeat(4)}`;
const request = {
  ...{ request_id: 'r', trace_id: 't', method: 'GET', route: '/v1/runs/{id}', status: 200, duration_ms: 1.5 },
};

test('JSON format: one object per line, with time, level, message and role', () => {
  const { lines, log, logRequest } = collect('json', 'info');
  log('info', 'two\nlines', { run_id: 'run_1' });
  log('error', 'trouble');
  logRequest?.('info', request);
  expect(lines.map(({ stream }) => stream)).toEqual(['out', 'err', 'out']);
  for (const { line } of lines) expect(line.indexOf('\n')).toBe(line.length - 1);
  const [first, , third] = lines.map(({ line }) => JSON.parse(line));
  expect(first).toMatchObject({ level: 'info', message: 'two\nlines', role: 'api', run_id: 'run_1' });
  expect(Date.parse(first.time)).toBeGreaterThan(Date.now() - 60_000);
  expect(third).toMatchObject({ level: 'info', message: 'request', ...request });
});

test('text format: progress as plain text, errors as JSON, no single requests', () => {
  const { lines, log, logRequest } = collect('text', 'info');
  log('info', 'The database starts.', { details: 'for machines' });
  log('error', 'trouble', { code: '42' });
  expect(logRequest).toBeNull();
  expect(lines[0]).toEqual({ stream: 'out', line: 'The database starts.\n' });
  expect(JSON.parse(lines[1]?.line ?? '')).toMatchObject({ level: 'error', message: 'trouble', code: '42' });
});

test('entries below the minimum level are not logged', () => {
  const { lines, log, logRequest } = collect('json', 'warn');
  log('info', 'progress');
  logRequest?.('info', request);
  logRequest?.('warn', { ...request, status: 429 });
  log('error', 'trouble');
  expect(lines.map(({ line }) => JSON.parse(line).level)).toEqual(['warn', 'error']);
});

test('no log line contains an API key', () => {
  for (const format of ['json', 'text'] as const) {
    const { lines, log, logRequest } = collect(format, 'debug');
    log('info', `asked for ${key}`, { [key]: 1 });
    log('error', 'trouble', { error: `no such thing: ${key}` });
    logRequest?.('info', { ...request, request_id: key });
    expect(lines.length).toBeGreaterThan(1);
    for (const { line } of lines) expect(line).not.toContain(key.slice(0, 12));
  }
});
