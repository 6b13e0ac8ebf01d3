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
  { name: 'change our mind', pattern: /\bchange our mind\b/gi, instead: 'revisit if' },
];

/** Correct uses, by file and phrase. A phrase that the file no longer contains is an error. */
export const allowed: readonly { file: string; phrase: string }[] = [];

/** Not checked: `docs/voice.md` quotes the dialect, the others are not rewritten yet. */
export const skipped: readonly string[] = [
  'docs/voice.md',
  'SECURITY.md',
  'apps/worker/README.md',
  'infra/README.md',
  'packages/core/fixtures/README.md',
  'packages/db/fixtures/README.md',
  'packages/db/sample/README.md',
  'packages/outbound/README.md',
];
