import type { Later, Work } from '../../wire/token-stream.ts';
import type { Clock } from '../../wire/transport.ts';
import type { Meter } from '../meter.ts';

/** More ends or beginnings at once would hold up the reads of all other requests. */
const turnoversPerTick = 4;
const tickMs = 0.1;
/** From here on everything is done at once: what is put off must not grow without end. */
const backlogMax = 4096;

/**
 * Work put off until the sockets that had bytes were read. Reading an event in full, ending a request and beginning the
 * next cost more than a read, and with 256 answers that end in the same millisecond they would be in each other's way.
 */
export class WorkQueue implements Later {
  readonly #clock: Clock;
  readonly #meter: Meter;
  #work: Work[] = [];
  #first = 0;
  #isScheduled = false;
  readonly #run = () => this.#tick();

  constructor(clock: Clock, meter: Meter) {
    this.#clock = clock;
    this.#meter = meter;
  }

  add(work: Work): void {
    this.#work.push(work);
    this.#schedule();
  }

  /** The first read since the loop last waited: the batch ends when all sockets have been read. */
  onRead(at: number): void {
    if (this.#meter.beginBatch(at)) this.#schedule();
  }

  #schedule(): void {
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    setImmediate(this.#run);
  }

  #tick(): void {
    this.#isScheduled = false;
    const began = this.#clock.now();
    this.#meter.endBatch(began);
    const isSwamped = this.#work.length - this.#first > backlogMax;
    let turnovers = 0;
    for (let next = this.#work[this.#first]; next !== undefined; next = this.#work[this.#first]) {
      if (next.isTurnover && ++turnovers > turnoversPerTick) break;
      this.#first++;
      next.work();
      if (!isSwamped && (this.#first & 7) === 0 && this.#clock.now() - began > tickMs) break;
    }
    this.#meter.endTick(began, this.#clock.now());
    if (this.#first === this.#work.length) {
      this.#work = [];
      this.#first = 0;
    } else {
      if (this.#first > backlogMax) {
        this.#work = this.#work.slice(this.#first);
        this.#first = 0;
      }
      this.#schedule();
    }
  }
}
