import type { Hit } from './canary.ts';
import type { HostileCase } from './corpus.ts';

/** `namespace`: a network namespace where every address is this machine. `loopback`: this machine's network. */
export type Place = 'namespace' | 'loopback';

export type Outcome = { status: number } | { address: string } | { refused: string[] } | { failed: string };

/** The result of a child process. */
export interface ChildReport {
  place: Place;
  results: (HostileCase & { outcomes: Outcome[] })[];
  /** Connections to any host except the allowed one during the corpus. */
  hits: Hit[];
  /** Forbidden addresses where an unguarded connection reached the canary afterwards. */
  audible: string[];
  allowed: Record<'http' | 'literal' | 'https' | 'httpsLiteral' | 'httpsOtherName' | 'httpsStranger', Outcome>;
}
