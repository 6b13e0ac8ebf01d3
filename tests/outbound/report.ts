import type { Hit } from './canary.ts';
import type { HostileCase } from './corpus.ts';

/** `namespace`: a network of its own, in which every address is this machine. `loopback`: this machine's own network. */
export type Place = 'namespace' | 'loopback';

export type Outcome = { status: number } | { address: string } | { refused: string[] } | { failed: string };

/** What a child process found out. */
export interface ChildReport {
  place: Place;
  results: (HostileCase & { outcomes: Outcome[] })[];
  /** Connections that arrived anywhere but at the allowed host, while the corpus ran. */
  hits: Hit[];
  /** Forbidden addresses at which an unguarded connection reached the canary afterwards. */
  audible: string[];
  allowed: Record<'http' | 'literal' | 'https' | 'httpsLiteral' | 'httpsOtherName' | 'httpsStranger', Outcome>;
}
