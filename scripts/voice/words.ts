// Words of the project's former dialect, see docs/voice.md. Use this list for documents, pages, errors and comments.

export interface Word {
  /** Name in reports. */
  name: string;
  pattern: RegExp;
  /** What to write instead. */
  instead: string;
}

export const words: readonly Word[] = [
  { name: 'tell', pattern: /\b(?:tell|tells|told|telling)\b/gi, instead: 'state, report, return, notify' },
  { name: 'lie', pattern: /\b(?:lie|lies|lying)\b/gi, instead: 'is, is stored, is in' },
  { name: 'stand', pattern: /\b(?:stand|stands|stood)\b/gi, instead: 'is, is listed, represents' },
  { name: 'door', pattern: /\bdoors?\b/gi, instead: 'guard, entry point' },
  { name: 'shelf', pattern: /\b(?:shelf|shelves)\b/gi, instead: 'cache, store' },
  { name: 'witness', pattern: /\bwitness(?:es|ed)?\b/gi, instead: 'example, evidence' },
  { name: 'mend', pattern: /\bmend(?:s|ed|ing)?\b/gi, instead: 'fix, repair' },
  { name: 'whoever', pattern: /\b(?:whoever|whomever)\b/gi, instead: 'clients that, users who' },
  { name: 'whatever', pattern: /\bwhatever\b/gi, instead: 'any, all, regardless of' },
  { name: 'as dear as', pattern: /\bas dear\b/gi, instead: 'the same cost' },
  { name: 'let go of', pattern: /\b(?:let|lets|letting) go of\b/gi, instead: 'drop, close, release' },
  {
    name: 'nobody',
    pattern: /\b(?:nobody|somebody|anybody|everybody)\b/gi,
    instead: 'no client, a user, anyone, everyone',
  },
  { name: 'stranger', pattern: /\bstrangers?\b/gi, instead: 'untrusted user, anonymous client, user-supplied' },
  {
    name: 'of its own',
    pattern: /\b(?:of (?:its|their|our|one's) own|of ours)\b/gi,
    instead: 'separate, our',
  },
  { name: 'by itself', pattern: /\bby (?:itself|themselves)\b/gi, instead: 'alone, automatically, separately' },
  { name: 'beside', pattern: /\bbeside\b/gi, instead: 'next to, with, in addition to, while ... runs' },
  { name: 'anew', pattern: /\banew\b/gi, instead: 'again' },
  { name: 'for ever', pattern: /\bfor ever\b/gi, instead: 'forever, permanently' },
  { name: 'go on', pattern: /\b(?:go|goes|went) on\b/gi, instead: 'continue' },
  { name: 'nothing but', pattern: /\bnothing but\b/gi, instead: 'only' },
  { name: 'held against', pattern: /\b(?:hold|holds|held) (?:\w+ )?against\b/gi, instead: 'compare with, check' },
  { name: 'asked for', pattern: /\basked for\b/gi, instead: 'requested' },
  { name: 'believe', pattern: /\bbeliev(?:e|es|ed)\b/gi, instead: 'trust, accept' },
  { name: 'spoke against', pattern: /\bspoke against\b/gi, instead: 'drawbacks' },
  { name: 'says', pattern: /\b(?:says|said|saying)\b/gi, instead: 'states, returns, shows, describes' },
  { name: 'settle', pattern: /\bsettl(?:e|es|ed|ing)\b/gi, instead: 'select, decide, choose' },
  {
    name: 'standing claim',
    pattern: /\bstanding (?:accepted )?(?:claims?|figures?|values?|ones?)\b/gi,
    instead: 'representative, ranked',
  },
  { name: 'hear', pattern: /\b(?:hear|hears|heard)\b/gi, instead: 'receive, notified' },
  { name: 'dear', pattern: /\bdear(?:er|est)?\b/gi, instead: 'expensive' },
  { name: 'vanish', pattern: /\bvanish(?:es|ed)?\b/gi, instead: 'is missing, is removed' },
  { name: 'for good', pattern: /\bfor good\b/gi, instead: 'permanently' },
  { name: 'of the own', pattern: /\b(?:of|for|by) the own\b/gi, instead: 'your' },
  { name: 'change our mind', pattern: /\bchange our mind\b/gi, instead: 'revisit if' },
];

/** Correct uses, by file and phrase. A phrase that the file no longer contains is an error. */
export const allowed: readonly { file: string; phrase: string }[] = [
  // A promise or a socket settles.
  { file: 'packages/db/src/connection/observe-statements.ts', phrase: 'when a statement settles' },
  { file: 'packages/db/src/copy/draw-until.ts', phrase: 'until a promise settles' },
  { file: 'packages/db/src/copy/read-copy.ts', phrase: 'when the work has settled' },
  { file: 'packages/outbound/src/connect.ts', phrase: 'Settles when the socket' },
  // The user of Unix systems.
  { file: 'packages/db/src/embedded/owner.ts', phrase: 'Uid of "nobody"' },
  { file: 'packages/db/src/embedded/owner.ts', phrase: 'or as nobody' },
];

/** Not checked, files or folders: `docs/voice.md` quotes the dialect, the others contain words of users and of prompts. */
export const skipped: readonly string[] = [
  'docs/voice.md',
  'packages/core/src/questions/words/',
  'packages/core/src/questions/readers/',
  'packages/loadgen/src/prompts/words.ts',
];
