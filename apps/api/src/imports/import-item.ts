import type { Parameters } from '@inferboard/core/submission/parameters';

/** One file of a publication, submitted separately. */
export interface ImportItem {
  /** The name in the output: a path within the publication. */
  name: string;
  bytes: Uint8Array;
  /** The submission parameters. */
  parameters: Parameters;
}

/** The files of a publication to submit and those to skip. */
export interface Publication {
  /** Name of the import account for the publication. */
  account: string;
  items: readonly ImportItem[];
  /** Files skipped before parsing, each with the reason. */
  refused: readonly { name: string; reason: string }[];
}

/** A publication is missing or has the wrong form; the message describes the fix. */
export class PublicationError extends Error {}

const encoder = new TextEncoder();

/** A value as one line of JSON; equal values give equal bytes. */
export const toLine = (value: unknown): Uint8Array => encoder.encode(`${JSON.stringify(value)}\n`);

export const noParameters = {} as Parameters;
