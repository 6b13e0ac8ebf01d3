import type { Connect } from '../measure/measure-load.ts';
import { type Endpoint, endpointPaths } from '../prompts/body.ts';
import type { Dialect, Forcing } from '../prompts/dialects.ts';

/** A model server and how it is spoken to. */
export interface ModelServer {
  /** The address that was resolved and checked. */
  connect: Connect;
  /** What stands before `/v1` in its paths; '' for most. */
  prefix: string;
  /** Its credential among them, if it needs one. */
  headers: Readonly<Record<string, string>>;
  /** As the server calls it. */
  model: string;
  endpoint: Endpoint;
  dialect: Dialect;
  forcing: Forcing;
}

export const pathOf = ({ prefix, endpoint }: Pick<ModelServer, 'prefix' | 'endpoint'>): string =>
  `${prefix}${endpointPaths[endpoint]}`;
