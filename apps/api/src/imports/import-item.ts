import type { Parameters } from '@inferboard/core/submission/parameters';

/** One file of a publication, to be submitted by itself. */
export interface ImportItem {
  /** What it is called in what is printed: a path within the publication. */
  name: string;
  bytes: Uint8Array;
  /** What is said beside it. */
  parameters: Parameters;
}

/** What of a publication is submitted, and what is not. */
export interface Publication {
  /** Name of the account of ours that it belongs to. */
  account: string;
  items: readonly ImportItem[];
  /** What is passed over before it is read, each with the reason. */
  refused: readonly { name: string; reason: string }[];
}

/** A publication is not where it should be, or not what it should be; the message says what to do. */
export class PublicationError extends Error {}

const encoder = new TextEncoder();

/** A value as one line of JSON, always the same bytes for the same value. */
export const toLine = (value: unknown): Uint8Array => encoder.encode(`${JSON.stringify(value)}\n`);

export const noParameters = {} as Parameters;
