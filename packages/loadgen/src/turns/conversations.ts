import { type Body, bodyOf, continueBody } from './continue-body.ts';
import type { Turns } from './turns.ts';

/** What the conversations of a thread ask of its engine. Times in ms since the beginning. */
export interface ConversationEngine {
  now(): number;
  mayStart(): boolean;
  /** Sends a row, whose request is given. */
  start(row: number, request: Uint8Array, readyAt: number): void;
  serialise(body: string): Uint8Array;
  /** The bytes of a row: a request of a first turn, a body of the others. */
  bytesOf(row: number): Uint8Array;
  /** A conversation is over: its last answer ended at `at`. */
  onOver(at: number): void;
}

/**
 * Sends the turns after the first: each `thinkMs` after the previous response, with all earlier messages. A turn
 * whose response failed ends its conversation.
 */
export class Conversations {
  readonly #turns: Turns;
  readonly #engine: ConversationEngine;
  /** The conversation of each row. */
  readonly #ofRow: Int32Array;
  /** What was last sent, by conversation. */
  readonly #sent = new Map<number, Body>();
  readonly #thinking = new Set<NodeJS.Timeout>();

  constructor(turns: Turns, engine: ConversationEngine) {
    this.#turns = turns;
    this.#engine = engine;
    this.#ofRow = new Int32Array(turns.thinkMs.length);
    for (let conversation = 0; conversation + 1 < turns.first.length; conversation++)
      this.#ofRow.fill(conversation, turns.first[conversation], turns.first[conversation + 1]);
  }

  /** Turns that are waited for. */
  get thinking(): number {
    return this.#thinking.size;
  }

  firstRow(conversation: number): number {
    return this.#turns.first[conversation] ?? 0;
  }

  /** Whether another turn follows a row, so that its answer is needed. */
  isFollowed(row: number): boolean {
    return row + 1 < (this.#turns.first[(this.#ofRow[row] ?? 0) + 1] ?? 0);
  }

  /** Sends the turn after `row` once its time has come, or ends the conversation. */
  follow(row: number, answer: string, at: number): void {
    const conversation = this.#ofRow[row] ?? 0;
    const before = this.#sent.get(conversation) ?? bodyOf(this.#engine.bytesOf(row));
    const body = continueBody(before, answer, bodyOf(this.#engine.bytesOf(row + 1)));
    this.#sent.set(conversation, body);
    const request = this.#engine.serialise(JSON.stringify(body));
    const wait = at + (this.#turns.thinkMs[row + 1] ?? 0) - this.#engine.now();
    if (wait <= 0) {
      this.#begin(row + 1, request, at);
      return;
    }
    const timer = setTimeout(() => {
      this.#thinking.delete(timer);
      this.#begin(row + 1, request, this.#engine.now());
    }, Math.ceil(wait));
    this.#thinking.add(timer);
  }

  /** Forgets the conversation of a row, which has ended. */
  end(row: number): void {
    this.#sent.delete(this.#ofRow[row] ?? 0);
  }

  /** Ends every conversation that waits for its next turn. */
  cancel(): void {
    const waiting = [...this.#thinking];
    this.#thinking.clear();
    for (const timer of waiting) {
      clearTimeout(timer);
      this.#engine.onOver(this.#engine.now());
    }
  }

  #begin(row: number, request: Uint8Array, readyAt: number): void {
    if (this.#engine.mayStart()) this.#engine.start(row, request, readyAt);
    else {
      this.end(row);
      this.#engine.onOver(this.#engine.now());
    }
  }
}
