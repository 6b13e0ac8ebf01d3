/** Hostile texts, percent-encoded; `isFault` if every text parameter must reject it. */
export interface HostileText {
  name: string;
  encoded: string;
  isFault: boolean;
}

const text = (name: string, encoded: string): HostileText => ({ name, encoded, isFault: false });
const fault = (name: string, encoded: string): HostileText => ({ name, encoded, isFault: true });

export const hostileTexts: readonly HostileText[] = [
  fault('U+0000', '%00'),
  fault('U+0000 inside', 'h100%00sxm'),
  text('a lone surrogate', '%ED%A0%80'),
  text('a lone low surrogate', '%ed%bf%bf'),
  text('overlong slash', '%C0%AF'),
  text('overlong U+0000', '%C0%80'),
  text('half a character', '%E2%82'),
  text('a byte that is none', '%ff'),
  text('a broken escape', '%E0%A4%A'),
  text('a percent sign alone', '%'),
  text('half an escape', 'a%2'),
  text('beyond Unicode', '%F4%90%80%80'),
  text('a bidi override', 'a%E2%80%AEb'),
  text('an escape sequence', '%1b%5B31m'),
  text('a line break', 'a%0d%0aSet-Cookie:%20a=b'),
  text('SQL', "'%20or%201=1--"),
  text('SQL of two statements', '1;select%20pg_sleep(5)--'),
  text('wildcards of SQL', '%25_%25'),
  text('a backslash', '%5C'),
  text('markup', '%3Cscript%3Ealert(1)%3C/script%3E'),
  text('a formula', '%3Dcmd%7C%27/c%20calc%27!A1'),
  text('__proto__', '__proto__'),
  text('constructor', 'constructor'),
  text('toString', 'toString'),
  text('JSON', '%7B%22$ne%22:null%7D'),
  text('a template', '$%7B7*7%7D%7B%7B7*7%7D%7D'),
  text('a folder', '../../../../etc/passwd'),
  text('an address', 'http://169.254.169.254/'),
  text('letters that expand', '%EF%B7%BA'.repeat(60)),
  text('stacked accents', `e${'%CC%81'.repeat(150)}`),
  text('a regular expression that backtracks', `${'a'.repeat(80)}!`),
  text('numbers that backtrack', `${'1'.repeat(150)}x`),
  text('a joined emoji', '%F0%9F%91%A9%E2%80%8D%F0%9F%92%BB'),
  text('blanks of other kinds', '%C2%A0%E2%80%83'),
  text('undefined', 'undefined'),
  text('null', 'null'),
  text('plus signs', '+++'),
  text('full-width digits', '%EF%BC%95'),
  text('Arabic digits', '%D9%A5'),
];

/** Texts that are not a number of any kind. */
export const notNumbers = [
  'NaN',
  'Infinity',
  '-Infinity',
  '1e400',
  '0x10',
  '1,5',
  '1_000',
  '1e',
  '--1',
  'x',
  '1%00',
  '%D9%A5',
  '9'.repeat(400),
  'true',
  '[1]',
] as const;

/** Names that are not a parameter or field of any operation. */
export const strangeNames = [
  '__proto__',
  'constructor',
  'prototype',
  'toString',
  'hasOwnProperty',
  '__defineGetter__',
  'modle',
  'Limit',
  'a.b',
  'max_',
  'n'.repeat(3000),
] as const;
