import type { IncomingHttpHeaders, ServerResponse } from 'node:http';
import { performance } from 'node:perf_hooks';
import { gzipSync } from 'node:zlib';
import type { AnswerEvents, Asked } from './events.ts';
import type { FakeOptions, FaultKind } from './options.ts';

/** What the server knows of one answer, in ms of `performance.now()`. */
export interface AnswerLog {
  readMs: number;
  /** Just before each chunk with text was written. */
  writtenMs: number[];
  /** The request, where the server keeps requests. */
  request?: { path: string; headers: IncomingHttpHeaders; body: string };
}

export interface AnswerParts {
  asked: Asked;
  events: AnswerEvents;
  options: FakeOptions;
  /** What is odd about this one. */
  fault: FaultKind | null;
  log: AnswerLog;
  /** Requests under way, this one included. */
  underWay(): number;
}

const streamHead = { 'content-type': 'text/event-stream; charset=utf-8', 'cache-control': 'no-cache' };

/** Resolves at a time of `performance.now()`, in ms. Timers are late by up to 2 ms, never early. */
function sleepUntil(at: number, signal: AbortSignal): Promise<void> {
  const wait = at - performance.now();
  if (wait <= 0 || signal.aborted) return Promise.resolve();
  return new Promise((resolve) => {
    const end = () => {
      clearTimeout(timer);
      signal.removeEventListener('abort', end);
      resolve();
    };
    const timer = setTimeout(end, Math.ceil(wait));
    signal.addEventListener('abort', end);
  });
}

/** Streams one answer; `signal` is raised when the client is gone. */
export async function streamAnswer(res: ServerResponse, parts: AnswerParts, signal: AbortSignal): Promise<void> {
  const { asked, events, options, log } = parts;
  const fault = parts.fault;

  const write = async (text: string) => {
    if (signal.aborted || text === '') return;
    if (options.splitBytes === 0) {
      res.write(text);
      return;
    }
    const bytes = Buffer.from(text);
    for (let at = 0; at < bytes.length && !signal.aborted; at += options.splitBytes) {
      if (at > 0) await sleepUntil(performance.now() + options.splitGapMs, signal);
      res.write(bytes.subarray(at, at + options.splitBytes));
    }
  };

  const beginTokens = async () => {
    if (options.role === 'head') {
      res.writeHead(200, streamHead);
      await write(asked.isChat ? events.role() : events.comment());
    }
    const prefill = (options.prefillMs * asked.promptTokens) / 1000;
    const first = performance.now() + options.ttftMs + prefill;
    await sleepUntil(first, signal);
    if (!res.headersSent) res.writeHead(200, streamHead);
    if (options.role === 'first' && asked.isChat) await write(events.role());
    return first;
  };

  /** False where the fault ends the answer here. */
  const actOut = async (): Promise<boolean> => {
    if (fault === 'stall') await sleepUntil(performance.now() + options.stallMs, signal);
    else if (fault === 'bad_event') await write(events.frame('{"choices":[{"index":0,"delta":{"content":" brok'));
    else if (fault === 'error_event') {
      await write(events.frame('{"error":{"message":"the engine died","type":"server_error","code":500}}'));
      await write(events.done());
      res.end();
      return false;
    } else if (fault === 'cut') {
      res.socket?.end();
      return false;
    } else if (fault === 'reset') {
      res.socket?.resetAndDestroy();
      return false;
    }
    return true;
  };

  const sendTokens = async (): Promise<boolean> => {
    let due = await beginTokens();
    const faultAt = options.fault?.at ?? 0;
    for (let token = 0, chunk = 0; token < asked.tokens && !signal.aborted; chunk++) {
      if (fault !== null && chunk === faultAt && !(await actOut())) return false;
      if (options.commentEvery > 0 && chunk % options.commentEvery === 0) await write(events.comment());
      const limit = token < options.reasoningTokens ? options.reasoningTokens : asked.tokens;
      const count = Math.min(options.tokensPerChunk, limit - token);
      log.writtenMs.push(performance.now());
      await write(events.chunk(token, count));
      token += count;
      due = Math.max(due, performance.now() - options.itlMs);
      due += options.itlMs * (1 + options.slowdown * Math.max(0, parts.underWay() - 1));
      if (token < asked.tokens) await sleepUntil(due, signal);
    }
    return true;
  };

  if (fault === 'empty') {
    await sleepUntil(performance.now() + options.ttftMs, signal);
    res.writeHead(200, streamHead);
  } else {
    if (!(await sendTokens()) || signal.aborted) return;
    if (fault !== 'truncated') await write(events.finish());
    const { usage } = options;
    if (fault !== 'truncated' && usage !== 'never' && (usage === 'always' || asked.wantsUsage))
      await write(events.usage(statedTokens(fault, asked.tokens)));
  }
  if (fault !== 'no_done' && fault !== 'truncated') await write(events.done());
  res.end();
}

/** What usage states of an answer. */
function statedTokens(fault: FaultKind | null, tokens: number): number {
  if (fault === 'wrong_usage') return 1;
  if (fault === 'usage_zero') return 0;
  return fault === 'usage_times_ten' ? 10 * tokens : tokens;
}

/** Answers that are no stream: a refusal, a compressed one, or a document. True if it was one of them. */
export function answerAtOnce(res: ServerResponse, { asked, events, fault }: AnswerParts): boolean {
  const say = (status: number, message: string, headers: Record<string, string> = {}) => {
    res.writeHead(status, { 'content-type': 'application/json', ...headers });
    res.end(JSON.stringify({ error: { message, type: 'fake', code: status } }));
    return true;
  };
  if (fault === 'status_500') return say(500, 'out of memory');
  if (fault === 'status_429') return say(429, 'too many requests', { 'retry-after': '1' });
  if (fault === 'gzip') {
    res.writeHead(200, { ...streamHead, 'content-encoding': 'gzip' });
    res.end(gzipSync(events.chunk(0, 1) + events.done()));
    return true;
  }
  if (asked.isStream && fault !== 'not_streamed') return false;
  res.writeHead(200, { 'content-type': 'application/json' });
  res.end(events.whole());
  return true;
}
