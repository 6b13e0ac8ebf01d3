import type { StandingChanged } from './account-standing.ts';

/** What becomes of an account's results when its standing changes: nothing yet. */
export const standingChanged: StandingChanged = async () => {};
