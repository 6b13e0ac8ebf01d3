import { EventStreamReader } from './event-stream.ts';
import { parseStreamChunk, shorten, type TextKey, type Usage } from './stream-chunk.ts';
import { TokenTemplate } from './token-template.ts';

/** Work that need not be done while bytes wait in sockets. */
export interface Work {
  work(): void;
  /** True if it ends a request or begins one, which costs far more than reading an event. */
  readonly isTurnover: boolean;
}

/** Does work in the order it was added, once the sockets have been served. */
export interface Later {
  add(work: Work): void;
}

/** An event that is read in full: a copy, the data in it, and when it came. */
class LateEvent implements Work {
  readonly isTurnover = false;
  readonly #stream: TokenStream;
  /** Which answer of the stream's it belongs to: a stream serves one after another. */
  readonly generation: number;
  readonly bytes: Buffer;
  readonly dataStart: number;
  readonly dataEnd: number;
  /** True if `bytes` is the event as sent, so that its form can be learned. */
  readonly isRaw: boolean;
  readonly at: number;

  constructor(
    stream: TokenStream,
    generation: number,
    at: number,
    bytes: Buffer,
    data: [number, number],
    isRaw: boolean,
  ) {
    this.#stream = stream;
    this.generation = generation;
    this.at = at;
    this.bytes = bytes;
    [this.dataStart, this.dataEnd] = data;
    this.isRaw = isRaw;
  }

  work(): void {
    this.#stream.digest(this);
  }
}

/** Receives at once every chunk with text or reasoning, and the reason if the response ends early. */
export interface TokenSink {
  onToken(at: number): void;
  /** A read brought a second chunk. */
  onCoalesced(): void;
  /** Nothing that follows can be read. */
  onOversize(): void;
}

/** More than any token needs; a whole answer in one event stays below. */
const eventBytesMax = 4 * 1024 * 1024;

/** Fruitless lessons in a row after which a stream is read in full: its events differ each time. */
const lessonsMax = 8;

const done = Buffer.from('[DONE]');
const letter = 0x21;

function isDone(bytes: Buffer, start: number, end: number): boolean {
  let to = end;
  while (to > start && (bytes[to - 1] ?? letter) < letter) to--;
  if (to - start !== done.length) return false;
  for (let at = 0; at < done.length; at++) if (bytes[start + at] !== done[at]) return false;
  return true;
}

/** The content of a stream so far. Times in ms. */
export interface StreamFacts {
  firstContentAt: number | null;
  firstReasoningAt: number | null;
  /** Events that brought text or reasoning. */
  chunkCount: number;
  /** The stamp of `[DONE]`. */
  doneAt: number | null;
  finishReason: string | null;
  usage: Usage;
  /** The server's message when it gave up. */
  error: string | null;
  /** What could not be read, and where. */
  badEvent: string | null;
  eventCount: number;
  commentCount: number;
  /** Reads that brought tokens, and those among them that brought several. */
  tokenReads: number;
  coalescedReads: number;
}

export const noUsage: Usage = { promptTokens: null, outputTokens: null, cachedTokens: null };

function noFacts(): StreamFacts {
  return {
    firstContentAt: null,
    firstReasoningAt: null,
    chunkCount: 0,
    doneAt: null,
    finishReason: null,
    usage: noUsage,
    error: null,
    badEvent: null,
    eventCount: 0,
    commentCount: 0,
    tokenReads: 0,
    coalescedReads: 0,
  };
}

const isEarlier = (at: number, known: number | null) => known === null || at < known;

/**
 * Reads the responses of one connection, one after another. Events that fit the template of their stream are reported
 * at once; all others are copied and passed to `later`.
 */
export class TokenStream {
  facts: StreamFacts = noFacts();
  readonly #events: EventStreamReader;
  readonly #later: Later;
  readonly #sink: TokenSink;
  readonly #content = new TokenTemplate();
  readonly #reasoning = new TokenTemplate();
  #at = 0;
  #lastReadAt = Number.NaN;
  #readTokens = 0;
  #lessons = 0;
  #isReasoning = false;
  #generation = 0;

  constructor(sink: TokenSink, later: Later) {
    this.#sink = sink;
    this.#later = later;
    this.#events = new EventStreamReader(
      {
        onEvent: (bytes, start, end, rawStart, rawEnd) => this.#onEvent(bytes, start, end, rawStart, rawEnd),
        onComment: () => {
          this.facts.commentCount++;
        },
        onErrorField: (bytes, start, end) => {
          this.facts.error ??= shorten(bytes.toString('utf8', start, end));
        },
        onOversize: () => {
          this.facts.badEvent ??= `event ${this.facts.eventCount} is larger than ${eventBytesMax} bytes`;
          this.#sink.onOversize();
        },
      },
      { match: (bytes, start, end) => this.#match(bytes, start, end) },
      eventBytesMax,
    );
  }

  /** Ready for the next answer. */
  reset(): void {
    this.facts = noFacts();
    this.#generation++;
    this.#events.reset();
    this.#content.forget();
    this.#reasoning.forget();
    this.#lastReadAt = Number.NaN;
    this.#lessons = 0;
    this.#isReasoning = false;
  }

  /** Reads bytes of the body that one read of the socket brought at `at`. */
  push(bytes: Buffer, start: number, end: number, at: number): void {
    this.#at = at;
    this.#events.push(bytes, start, end);
  }

  stop(): void {
    this.#events.stop();
  }

  #match(bytes: Buffer, start: number, end: number): number {
    // Chunks come in runs of one kind.
    let next = (this.#isReasoning ? this.#reasoning : this.#content).match(bytes, start, end);
    if (next < 0) {
      next = (this.#isReasoning ? this.#content : this.#reasoning).match(bytes, start, end);
      if (next < 0) return -1;
      this.#isReasoning = !this.#isReasoning;
    }
    this.#lessons = 0;
    this.facts.eventCount++;
    this.#onToken(this.#at, this.#isReasoning);
    return next;
  }

  #onToken(at: number, isReasoning: boolean): void {
    const { facts } = this;
    facts.chunkCount++;
    // Written once: a number in a field that may be null is a new object each time.
    if (isReasoning) {
      if (isEarlier(at, facts.firstReasoningAt)) facts.firstReasoningAt = at;
    } else if (isEarlier(at, facts.firstContentAt)) facts.firstContentAt = at;
    if (at !== this.#lastReadAt) {
      this.#lastReadAt = at;
      this.#readTokens = 1;
      facts.tokenReads++;
    } else if (++this.#readTokens === 2) {
      facts.coalescedReads++;
      this.#sink.onCoalesced();
    }
    this.#sink.onToken(at);
  }

  #onEvent(bytes: Buffer, start: number, end: number, rawStart: number, rawEnd: number): void {
    this.facts.eventCount++;
    if (isDone(bytes, start, end)) {
      this.facts.doneAt ??= this.#at;
      return;
    }
    const isRaw = rawStart >= 0;
    const from = isRaw ? rawStart : start;
    const to = isRaw ? rawEnd : end;
    const copy = Buffer.allocUnsafe(to - from);
    bytes.copy(copy, 0, from, to);
    this.#later.add(new LateEvent(this, this.#generation, this.#at, copy, [start - from, end - from], isRaw));
  }

  /** Reads an event in full. One of an answer that is over is let go. */
  digest(event: LateEvent): void {
    if (event.generation !== this.#generation) return;
    const data = event.bytes.toString('utf8', event.dataStart, event.dataEnd);
    const chunk = parseStreamChunk(data);
    const { facts } = this;
    if (chunk === null) {
      if (data.trim() !== '')
        facts.badEvent ??= `event after ${facts.chunkCount} chunks is not JSON: ${shorten(data.slice(0, 80))}`;
      return;
    }
    facts.finishReason ??= chunk.finishReason;
    facts.error ??= chunk.error;
    if (chunk.isLast) facts.doneAt ??= event.at;
    if (chunk.usage !== null) {
      const { promptTokens, outputTokens, cachedTokens } = chunk.usage;
      facts.usage = {
        promptTokens: promptTokens ?? facts.usage.promptTokens,
        outputTokens: outputTokens ?? facts.usage.outputTokens,
        cachedTokens: cachedTokens ?? facts.usage.cachedTokens,
      };
    }
    if (chunk.textKey === null) return;
    this.#onToken(event.at, chunk.isReasoning);
    if (event.isRaw && chunk.isPlain) this.#learn(event.bytes, chunk.textKey, chunk.isReasoning);
  }

  #learn(bytes: Buffer, key: TextKey, isReasoning: boolean): void {
    if (this.#lessons >= lessonsMax) return;
    this.#lessons++;
    const template = isReasoning ? this.#reasoning : this.#content;
    if (template.learn(bytes, 0, bytes.length, key)) this.#isReasoning = isReasoning;
  }
}
