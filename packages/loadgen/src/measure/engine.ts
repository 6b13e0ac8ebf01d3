import { answerText } from '../turns/answer-text.ts';
import { Conversations } from '../turns/conversations.ts';
import type { Turns } from '../turns/turns.ts';
import type { Clock, Transport } from '../wire/transport.ts';
import type { Control } from './control.ts';
import { Flight, type FlightContext } from './flight.ts';
import type { Meter } from './meter.ts';
import { createClosedPacer } from './pacers/closed-pacer.ts';
import { createOpenPacer } from './pacers/open-pacer.ts';
import type { Paced, Pacer } from './pacers/pacer.ts';
import { WorkQueue } from './pacers/work-queue.ts';
import type { Limits } from './plan.ts';
import { EventLog } from './records/event-log.ts';
import type { Verdict } from './records/outcome.ts';
import { outcomeIndex, type RequestTable } from './records/request-table.ts';
import type { Interim } from './thread-messages.ts';

/** One thread's part of a pace. */
export type PaceShare =
  | { mode: 'closed'; slots: number; staggerMs: number; firstAtMs: number }
  | { mode: 'open'; due: Float64Array; first: number; step: number; cap: number | null; isHybrid: boolean };

/** What the bytes of a request are sent from. */
export interface RequestBytes {
  memory: SharedArrayBuffer;
  /** Row `r` is from `offsets[r]` to `offsets[r + 1]`. */
  offsets: Float64Array;
}

export interface EngineJob {
  thread: number;
  pace: PaceShare;
  limits: Limits;
  requests: RequestBytes;
  table: RequestTable;
  control: Control;
  /** Where requests are turns of conversations; the pace is then that of conversations. */
  turns: Turns | null;
  /** Each answer is one JSON document. */
  hasDocuments: boolean;
  /** Chunks that this thread may expect. */
  expectedChunks: number;
  /** Called a few times a second with what happened since the last call. */
  onInterim?: ((interim: Interim) => void) | undefined;
}

/** Words of a request, by row; those without any are left out. */
export interface RequestWords {
  row: number;
  detail: string | null;
  finishReason: string | null;
}

const sweepMs = 25;
/** A copy of 250 ms of events takes some microseconds. */
const interimMs = 250;
/** Opened when an open loop has no idle connection left, so that the next request need not wait for one. */
const sparesMin = 2;

/** Sends one thread's share of a run and records it. Made before the clock starts, and run once. */
export class Engine {
  readonly log: EventLog;
  readonly words: RequestWords[] = [];
  /** True after a response stated that it is simulated. */
  isSimulated = false;
  /** True once too many requests failed one after the other. */
  isFailing = false;
  readonly #job: EngineJob;
  readonly #clock: Clock;
  readonly #transport: Transport;
  readonly #meter: Meter;
  readonly #queue: WorkQueue;
  readonly #context: FlightContext;
  readonly #pacer: Pacer;
  readonly #active = new Set<Flight>();
  readonly #free: Flight[] = [];
  readonly #conversations: Conversations | null;
  #isCancelled = false;
  #isOpening = false;
  /** Chunks of requests in flight, as last reported to the other threads. */
  #live = 0;
  #finish: (() => void) | null = null;
  /** Rows that ended since the last interim report, and what it contained. */
  #ended: number[] = [];
  #reported = { at: 0, events: 0, words: 0 };

  constructor(job: EngineJob, transport: Transport, clock: Clock, meter: Meter) {
    this.#job = job;
    this.#clock = clock;
    this.#transport = transport;
    this.#meter = meter;
    this.log = new EventLog(job.expectedChunks, job.table.rows);
    this.#queue = new WorkQueue(clock, meter);
    this.#context = {
      clock,
      transport,
      table: job.table,
      log: this.log,
      meter,
      queue: this.#queue,
      hasDocuments: job.hasDocuments,
      onSimulated: () => {
        this.isSimulated = true;
      },
      onEnd: (flight, verdict, finishReason) => this.#onEnd(flight, verdict, finishReason),
    };
    this.#conversations = job.turns === null ? null : this.#createConversations(job.turns);
    this.#pacer = this.#createPacer(meter);
    const flights = job.pace.mode === 'closed' ? job.pace.slots : transport.idleCount();
    for (let made = 0; made < flights; made++) this.#free.push(new Flight(this.#context));
  }

  /** Resolves when everything that was begun has ended. */
  async run(): Promise<void> {
    const finished = new Promise<void>((resolve) => {
      this.#finish = resolve;
    });
    let sweep: NodeJS.Immediate | undefined;
    // After the poll: data that arrived while the loop was late does not count against the server.
    const sweeper = setInterval(() => {
      const now = this.#clock.now();
      // Timers are set in whole ms.
      this.#meter.onTimer(now, now + sweepMs + 1);
      sweep = setImmediate(() => this.#sweep());
    }, sweepMs);
    this.#pacer.begin();
    await finished;
    clearInterval(sweeper);
    // The run can end in the poll between the timer and its sweep, and its log is taken at once.
    clearImmediate(sweep);
  }

  /** Gives up what is under way. */
  cancel(): void {
    if (this.#isCancelled) return;
    this.#isCancelled = true;
    this.#pacer.stop();
    this.#conversations?.cancel();
    for (const flight of this.#active) flight.giveUp('cancelled');
    this.#finishIfDone();
  }

  #createPacer(meter: Meter): Pacer {
    const { pace, control, table, turns } = this.#job;
    const paced: Paced = {
      now: () => this.#clock.now(),
      mayStart: () => this.#mayStart(),
      start: (start, readyAt, dueAt) => {
        const row = this.#rowOf(start);
        this.#start(row, this.#bytesOf(row), readyAt, dueAt);
      },
      drop: (start, dueAt) => this.#drop(this.#rowOf(start), dueAt),
      inFlight: () => this.#active.size,
      later: (turn) => this.#queue.add({ work: turn, isTurnover: true }),
      onSpin: (at) => meter.spin(at),
      endSpin: () => meter.endSpin(),
      onMaybeFinished: () => this.#finishIfDone(),
    };
    const starts = turns === null ? table.rows : turns.first.length - 1;
    if (pace.mode === 'closed')
      return createClosedPacer(paced, { ...pace, takeNext: () => control.takeNext(), rows: starts });
    return createOpenPacer(paced, { ...pace, rows: this.#dueRows(pace.due) });
  }

  #createConversations(turns: Turns): Conversations {
    return new Conversations(turns, {
      now: () => this.#clock.now(),
      mayStart: () => this.#mayStart(),
      start: (row, request, readyAt) => this.#start(row, request, readyAt, Number.NaN),
      serialise: (body) => this.#transport.serialise(body),
      bytesOf: (row) => this.#bytesOf(row),
      onOver: (at) => {
        this.#pacer.onEnd({ outcome: 'ok', detail: null }, true, at);
        this.#finishIfDone();
      },
    });
  }

  /** The row of what the pacer starts: a request, or the first of a conversation. */
  #rowOf(start: number): number {
    return this.#conversations?.firstRow(start) ?? start;
  }

  #bytesOf(row: number): Uint8Array {
    const { requests } = this.#job;
    const [from = 0, to = 0] = [requests.offsets[row], requests.offsets[row + 1]];
    return new Uint8Array(requests.memory, from, to - from);
  }

  /** Rows that become due before the duration is over. */
  #dueRows(due: Float64Array): number {
    const { duration_ms } = this.#job.limits;
    if (duration_ms === null) return due.length;
    const late = due.findIndex((at) => at > duration_ms);
    return late < 0 ? due.length : late;
  }

  #mayStart(): boolean {
    const { limits, control } = this.#job;
    if (this.#isCancelled || this.log.isFull) return false;
    if (limits.duration_ms !== null && this.#clock.now() > limits.duration_ms) return false;
    return limits.outputTokens === null || control.tokens() < limits.outputTokens;
  }

  #start(row: number, request: Uint8Array, readyAt: number, dueAt: number): void {
    const { control, pace } = this.#job;
    const flight = this.#free.pop() ?? new Flight(this.#context);
    this.#active.add(flight);
    control.onBegin();
    flight.begin(row, request, readyAt, dueAt, this.#conversations?.isFollowed(row) ?? false);
    if (pace.mode === 'open' && this.#transport.idleCount() < sparesMin) this.#openSpares(pace.cap);
  }

  #openSpares(cap: number | null): void {
    if (this.#isOpening || (cap !== null && this.#active.size + this.#transport.idleCount() >= cap)) return;
    this.#isOpening = true;
    // A request without an idle connection gets the same error and reports it.
    this.#transport
      .open(sparesMin)
      .catch(() => undefined)
      .finally(() => {
        this.#isOpening = false;
      });
  }

  #drop(row: number, dueAt: number): void {
    const { table, control } = this.#job;
    table.stamps.due[row] = dueAt;
    table.counts.outcome[row] = outcomeIndex.dropped;
    control.onDropped();
  }

  #onEnd(flight: Flight, verdict: Verdict, finishReason: string | null): void {
    const { table, control } = this.#job;
    const { row } = flight;
    if (verdict.detail !== null || finishReason !== null)
      this.words.push({ row, detail: verdict.detail, finishReason });
    if (this.#job.onInterim !== undefined) this.#ended.push(row);
    const tokens = table.counts.outputTokens[row] ?? -1;
    // First out of the one count, then into the other: nothing is counted twice.
    this.#live -= flight.reportedChunks;
    control.setLive(this.#job.thread, this.#live);
    control.onEnd(verdict.outcome === 'ok', tokens >= 0 ? tokens : flight.chunks);
    this.#giveUpIfFailing();
    this.#active.delete(flight);
    const { answer } = flight;
    this.#free.push(flight);
    const endedAt = table.stamps.closed[row] ?? this.#clock.now();
    if (verdict.outcome === 'ok' && this.#conversations?.isFollowed(row)) {
      this.#conversations.follow(row, answerText(answer), endedAt);
    } else {
      this.#conversations?.end(row);
      this.#pacer.onEnd(verdict, (table.counts.status[row] ?? -1) >= 0, endedAt);
    }
    this.#finishIfDone();
  }

  #giveUpIfFailing(): void {
    const { limits, control } = this.#job;
    // Those that are given up fail too.
    if (this.#isCancelled || limits.failuresInRow === undefined || control.failuresInRow() < limits.failuresInRow)
      return;
    this.isFailing = true;
    this.cancel();
  }

  #sweep(): void {
    const { limits, control, thread } = this.#job;
    const now = this.#clock.now();
    this.#meter.endTick(now, now);
    this.#live = 0;
    for (const flight of this.#active) {
      flight.reportedChunks = flight.chunks;
      this.#live += flight.chunks;
      if (flight.isOver) continue;
      if (now - flight.startedAt > limits.request_timeout_ms) flight.giveUp('timeout');
      else if (now - flight.lastChunkAt > limits.stall_ms) flight.giveUp('stalled');
    }
    control.setLive(thread, this.#live);
    // Another thread may have had the last failure.
    this.#giveUpIfFailing();
    if (!this.#mayStart()) this.#pacer.stop();
    const isFarOver = limits.outputTokens !== null && control.tokens() >= 2 * limits.outputTokens;
    if (isFarOver || this.log.isFull) this.cancel();
    this.#reportInterim(now);
    this.#finishIfDone();
  }

  #reportInterim(now: number): void {
    const { onInterim } = this.#job;
    if (onInterim === undefined || now - this.#reported.at < interimMs) return;
    const { events, words } = this.#reported;
    this.#reported = { at: now, events: this.log.count, words: this.words.length };
    onInterim({ ...this.log.since(events), ended: this.#ended, words: this.words.slice(words) });
    this.#ended = [];
  }

  #finishIfDone(): void {
    if (this.#active.size > 0 || (this.#conversations?.thinking ?? 0) > 0 || !this.#pacer.isExhausted()) return;
    this.#finish?.();
    this.#finish = null;
  }
}
