import { expect, test } from 'vitest';
import { commentsOf, findUses, proseOf, stringsOf } from './find.ts';
import { words } from './words.ts';

const found = (text: string, phrases: string[] = []) =>
  findUses(text, words, phrases).map((use) => `${use.line} ${use.found}`);

test('finds listed words in each line, in any case', () => {
  expect(found('Told by whoever waits.\nThe row lies in a table\nand goes on for ever.')).toEqual([
    '1 Told',
    '1 whoever',
    '2 lies',
    '3 for ever',
    '3 goes on',
  ]);
});

test('does not find parts of other words', () => {
  expect(found('A standby, an understanding, an outstanding recommendation, two believers besides.')).toEqual([]);
});

test('skips code, link targets and tags; checks link texts, alternative texts and table cells', () => {
  const markdown = [
    'A `told_regressions` row, [which stands](what-stands.md).',
    '```',
    'told',
    '```',
    '| whatever | `stands` |',
    '<img src="told.png" alt="nobody">',
  ].join('\n');
  expect(found(proseOf(markdown))).toEqual(['1 stands', '5 whatever', '6 nobody']);
});

test('an allowed phrase hides only itself', () => {
  expect(found('The lie detector. It lies.', ['lie detector'])).toEqual(['1 lies']);
});

test('finds comments with their lines, and skips strings and patterns', () => {
  const source = [
    "const a = 'https://told.example'; // told once",
    '/** Told\n * told twice */',
    'const b = `// told in a template`;',
    'const c = "/* told in a string */";',
    "const d = text.replace(/https:\\/\\/ told/, '') ?? 'nobody';",
  ].join('\n');
  expect(found(commentsOf(source, false))).toEqual(['1 told', '2 Told', '3 told']);
});

test('each word has a name, matches it, and has an alternative that is not listed', () => {
  for (const { name, instead } of words) {
    expect(found(name), name).not.toEqual([]);
    expect(found(instead), name).toEqual([]);
  }
});

test('finds strings with their lines; skips ids, comments, expressions and SQL', () => {
  const source = [
    "const told = 'told_by';",
    '// whoever reads this',
    "const message = 'The row lies in a table.';",
    ['const count = `$', '{told} rows, whatever they are`;'].join(''),
    'const rows = sql`select stands from claims`;',
    "const query = 'select stands from claims';",
  ].join('\n');
  expect(found(stringsOf(source, false))).toEqual(['3 lies', '4 whatever']);
});

test('finds every line of a template, and strings in its expressions', () => {
  const source = ['const help = `', '  open  nobody reads $', "{of(`b}`, 'it goes on')}", '  it stands here', '`;'];
  expect(found(stringsOf(source.join('\n').replace('$\n', '$'), false))).toEqual(['2 nobody', '2 goes on', '3 stands']);
});

test('finds the text of a page, in tags and expressions too; skips classes, styles and scripts', () => {
  const page = [
    '---',
    "const lede = 'It goes on.';",
    '---',
    '<p class="stands tall">Told by {whoever}</p>',
    '<img src="a.png" alt="nobody is here">',
    "{rows.map((row) => row.n < 2 ? <br /> : <b>whatever {row.isOld && 'it lies here'}</b>)}",
    '<!-- strangers -->',
    '<style>.lies { top: 0 }</style>',
    '<p>anew</p>',
  ].join('\n');
  expect(found(stringsOf(page, true))).toEqual(['2 goes on', '4 Told', '5 nobody', '6 lies', '6 whatever', '9 anew']);
  expect(found(commentsOf(page, true))).toEqual(['7 strangers']);
});
