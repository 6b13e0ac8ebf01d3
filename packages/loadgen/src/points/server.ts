import type { Connect } from '../measure/measure-load.ts';
import { type Endpoint, endpointPaths, type Omissible, type RequestBody, type TokensField } from '../prompts/body.ts';
import type { Dialect, Forcing } from '../prompts/dialects.ts';

/** A model server and how it is spoken to. */
export interface ModelServer {
  /** The address that was resolved and checked. */
  connect: Connect;
  /** The part of its paths before `/v1`; '' for most. */
  prefix: string;
  /** Its credential among them, if it needs one. */
  headers: Readonly<Record<string, string>>;
  /** As the server calls it. */
  model: string;
  endpoint: Endpoint;
  dialect: Dialect;
  /** Fields that the server refuses, and that are not sent. */
  omits?: readonly Omissible[];
  /** What the server calls the most tokens of an answer; `max_tokens` where it is left out. */
  tokensField?: TokensField;
  /** Further fields of every body. */
  extra?: RequestBody;
  /** What is asked otherwise than usual, in words. */
  notes?: readonly string[];
  forcing: Forcing;
}

export const pathOf = ({ prefix, endpoint }: Pick<ModelServer, 'prefix' | 'endpoint'>): string =>
  `${prefix}${endpointPaths[endpoint]}`;

/** The part before `/v1` in the path of a base URL, which may be that of an endpoint: users copy complete URLs. */
export const prefixOf = (pathname: string): string =>
  pathname
    .replace(/\/+$/, '')
    .replace(/\/(?:chat\/completions|completions|responses|embeddings|rerank|models)$/, '')
    .replace(/\/v1$/, '');

/** The endpoint that the path of an address names; null where it names none. */
export function endpointOf(pathname: string): Endpoint | null {
  if (/\/chat\/completions\/*$/.test(pathname)) return 'chat';
  if (/\/responses\/*$/.test(pathname)) return 'responses';
  return /\/completions\/*$/.test(pathname) ? 'completions' : null;
}
