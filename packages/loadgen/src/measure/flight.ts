import { readAnswerDocument } from '../wire/answer-document.ts';
import type { ResponseHead } from '../wire/http-response.ts';
import { isSimulated } from '../wire/simulated.ts';
import { shorten } from '../wire/stream-chunk.ts';
import { type Later, type TokenSink, TokenStream, type Work } from '../wire/token-stream.ts';
import type { Clock, Exchange, Sending, Transport, WireFailure } from '../wire/transport.ts';
import type { Meter } from './meter.ts';
import type { EventLog } from './records/event-log.ts';
import { believedTokens, judgeDocument, judgeEnding, type Verdict } from './records/outcome.ts';
import { outcomeIndex, type RequestTable } from './records/request-table.ts';

export interface FlightQueue extends Later {
  onRead(at: number): void;
}

/** What all requests of a thread have in common. */
export interface FlightContext {
  clock: Clock;
  transport: Transport;
  table: RequestTable;
  log: EventLog;
  meter: Meter;
  queue: FlightQueue;
  /** Each answer is one JSON document, read as a whole at its end. */
  hasDocuments: boolean;
  /** A response stated that it is simulated. */
  onSimulated(): void;
  /** A request is over and its row written. */
  onEnd(flight: Flight, verdict: Verdict, finishReason: string | null): void;
}

/** Of an answer whose text is needed: embeddings of a thousand texts stay below. */
const answerBytesMax = 64 * 1024 * 1024;
/** Of an answer that is no event stream. */
const textBytesMax = 4096;

/** The coding of an answer's body, if it has one besides its framing. */
function codingOf({ headers }: ResponseHead): string | null {
  const content = headers['content-encoding']?.trim().toLowerCase() ?? '';
  if (content !== '' && content !== 'identity') return content;
  const transfer = headers['transfer-encoding']?.trim().toLowerCase() ?? '';
  return transfer === '' || transfer === 'chunked' ? null : transfer;
}

/**
 * Maximum chunks of a response. A server that does not end its responses would fill the memory; a token may come in several
 * chunks, and reasoning may be in addition to the requested tokens.
 */
const chunksMostOf = (maxTokens: number) => (maxTokens < 0 ? Number.POSITIVE_INFINITY : 10 * maxTokens + 10_000);

/** A JSON object, an array or a page in place of events. */
const isNoStream = (byte: number | undefined) => byte === 0x7b || byte === 0x5b || byte === 0x3c;

/**
 * One request under way; used again for the next. In the callbacks from the socket it only stamps and counts: its row is
 * written by `work`, after the sockets have been served.
 */
export class Flight implements Exchange, Work, TokenSink {
  readonly isTurnover = true;
  row = -1;
  startedAt = 0;
  /** Of those that brought text; NaN before the first. */
  lastChunkAt = Number.NaN;
  chunks = 0;
  #chunksMost = Number.POSITIVE_INFINITY;
  /** Of those, how many the other threads know of. */
  reportedChunks = 0;
  #sending: Sending | null = null;
  #givenUp: 'timeout' | 'stalled' | 'cancelled' | null = null;
  #isOver = true;
  #status: number | null = null;
  #encoding: string | null = null;
  #failure: WireFailure | null = null;
  #text: string | null = null;
  #isFirstByte = true;
  #isReused = false;
  /** The bytes of the answer, where its text is needed. */
  #answer: Buffer[] | null = null;
  #answerBytes = 0;
  readonly #context: FlightContext;
  readonly #stream: TokenStream;

  constructor(context: FlightContext) {
    this.#context = context;
    this.#stream = new TokenStream(this, context.queue);
  }

  get isOver(): boolean {
    return this.#isOver;
  }

  /** The bytes of the answer, where it was to be kept. */
  get answer(): readonly Buffer[] {
    return this.#answer ?? [];
  }

  get isDone(): boolean {
    return this.#stream.facts.doneAt !== null;
  }

  /**
   * Sends request `row`; `keepsAnswer` keeps the bytes of its answer. From `readyAt` on only this process delayed it.
   * `dueAt` is NaN in a closed loop.
   */
  begin(row: number, request: Uint8Array, readyAt: number, dueAt: number, keepsAnswer = false): void {
    const { clock, transport, table } = this.#context;
    this.row = row;
    this.lastChunkAt = Number.NaN;
    this.chunks = 0;
    this.#chunksMost = chunksMostOf(table.counts.maxTokens[row] ?? -1);
    this.reportedChunks = 0;
    this.#givenUp = null;
    this.#isOver = false;
    this.#status = null;
    this.#encoding = null;
    this.#failure = null;
    this.#text = null;
    this.#isFirstByte = true;
    this.#answer = keepsAnswer || this.#context.hasDocuments ? [] : null;
    this.#answerBytes = 0;
    this.#stream.reset();
    table.stamps.due[row] = dueAt;
    table.stamps.ready[row] = readyAt;
    this.startedAt = clock.now();
    table.stamps.started[row] = this.startedAt;
    this.#sending = transport.send(request, this);
  }

  onWritten(at: number): void {
    this.#context.table.stamps.written[this.row] = at;
  }

  onHead(head: ResponseHead, at: number): void {
    const { table, queue } = this.#context;
    queue.onRead(at);
    table.stamps.headers[this.row] = at;
    this.#status = head.status;
    this.#encoding = codingOf(head);
    if (isSimulated(head)) this.#context.onSimulated();
    if (this.#encoding !== null) this.#end(at, true);
  }

  onBody(bytes: Buffer, start: number, end: number, at: number): void {
    this.#context.queue.onRead(at);
    if (this.#isFirstByte) this.#onFirstByte(bytes[start], at);
    if (this.#answer !== null && this.#answerBytes < answerBytesMax) {
      this.#answer.push(Buffer.from(bytes.subarray(start, end)));
      this.#answerBytes += end - start;
    }
    if (this.#context.hasDocuments && this.#text === null) return;
    if (this.#text === null) this.#stream.push(bytes, start, end, at);
    else if (this.#text.length < textBytesMax)
      this.#text += bytes.toString('utf8', start, Math.min(end, start + textBytesMax));
  }

  #onFirstByte(byte: number | undefined, at: number): void {
    this.#isFirstByte = false;
    this.#context.table.stamps.firstByte[this.row] = at;
    if (this.#status !== null && (this.#status < 200 || this.#status >= 300)) this.#text = '';
    else if (isNoStream(byte) && !this.#context.hasDocuments) this.#text = '';
  }

  onRetry(): void {
    this.#context.table.counts.isRetried[this.row] = 1;
  }

  onEnd(at: number): void {
    this.#end(at, false);
  }

  onFailure(failure: WireFailure, at: number): void {
    this.#failure = failure;
    this.#end(at, false);
  }

  onToken(at: number): void {
    const { log, meter } = this.#context;
    log.add(this.row, at);
    meter.onToken();
    this.chunks++;
    // A fully parsed event is reported later than those after it.
    if (!(at < this.lastChunkAt)) this.lastChunkAt = at;
    if (this.chunks > this.#chunksMost) this.#onEndless(at);
  }

  #onEndless(at: number): void {
    const { facts } = this.#stream;
    facts.badEvent ??= `more than ${this.#chunksMost} chunks for max_tokens ${this.#context.table.counts.maxTokens[this.row]}`;
    this.#end(at, true);
  }

  onCoalesced(): void {
    this.#context.meter.onCoalesced();
  }

  onOversize(): void {
    this.#end(this.#context.clock.now(), true);
  }

  /** Closes the connection, so that the server can stop too. */
  giveUp(why: 'timeout' | 'stalled' | 'cancelled'): void {
    if (this.#isOver) return;
    this.#givenUp = why;
    this.#end(this.#context.clock.now(), true);
  }

  #end(at: number, aborts: boolean): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#context.table.stamps.closed[this.row] = at;
    // The connection may carry the next request before this one's row is written.
    this.#isReused = this.#sending?.isReused ?? false;
    if (aborts) {
      this.#stream.stop();
      this.#sending?.abort();
    }
    this.#context.queue.add(this);
  }

  /** Writes the row: all events of the answer have been read by now. */
  work(): void {
    const { table, onEnd } = this.#context;
    const { facts } = this.#stream;
    const { stamps, counts } = table;
    const asked = counts.maxTokens[this.row] ?? -1;
    const maxTokens = asked < 0 ? null : asked;
    const ending = {
      givenUp: this.#givenUp,
      status: this.#status,
      encoding: this.#encoding,
      failure: this.#failure,
      facts,
      maxTokens,
      text: this.#text === null ? null : shorten(this.#text),
    };
    const document = this.#context.hasDocuments && this.#text === null ? Buffer.concat(this.answer).toString() : null;
    const verdict = document === null ? judgeEnding(ending) : judgeDocument(ending, document);
    if (document !== null) facts.usage = readAnswerDocument(document)?.usage ?? facts.usage;
    const { row } = this;
    stamps.firstContent[row] = facts.firstContentAt ?? Number.NaN;
    stamps.firstReasoning[row] = facts.firstReasoningAt ?? Number.NaN;
    stamps.done[row] = facts.doneAt ?? Number.NaN;
    counts.outcome[row] = outcomeIndex[verdict.outcome];
    counts.status[row] = this.#status ?? -1;
    counts.promptTokens[row] = facts.usage.promptTokens ?? -1;
    counts.outputTokens[row] = believedTokens({ facts, maxTokens }) ?? -1;
    counts.statedTokens[row] = facts.usage.outputTokens ?? -1;
    counts.cachedTokens[row] = facts.usage.cachedTokens ?? -1;
    counts.chunks[row] = facts.chunkCount;
    counts.isReused[row] = this.#isReused ? 1 : 0;
    counts.tokenReads[row] = facts.tokenReads;
    counts.coalescedReads[row] = facts.coalescedReads;
    this.#sending = null;
    onEnd(this, verdict, facts.finishReason);
  }
}
