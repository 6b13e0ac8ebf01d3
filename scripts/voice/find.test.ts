import { expect, test } from 'vitest';
import { commentsOf, findUses, proseOf, stringsOf } from './find.ts';
import { words } from './words.ts';

const found = (text: string, phrases: string[] = []) =>
  findUses(text, words, phrases).map((use) => `${use.line} ${use.found}`);

test('words of the dialect are found in each line, in any case', () => {
  expect(found('Told by whoever waits.\nThe row lies in a table\nand goes on for ever.')).toEqual([
    '1 Told',
    '1 whoever',
    '2 lies',
    '3 for ever',
    '3 goes on',
  ]);
});

test('parts of other words are not found', () => {
  expect(found('A standby, an understanding, an outstanding recommendation, two believers besides.')).toEqual([]);
});

test('code, link targets and tags are not prose; link texts, alternative texts and table cells are', () => {
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

test('comments are found at their lines, and strings and patterns are not', () => {
  const source = [
    "const a = 'https://told.example'; // told once",
    '/** Told\n * told twice */',
    'const b = `// told in a template`;',
    'const c = "/* told in a string */";',
    "const d = text.replace(/https:\\/\\/ told/, '') ?? 'nobody';",
  ].join('\n');
  expect(found(commentsOf(source, false))).toEqual(['1 told', '2 Told', '3 told']);
});

test('each word has a name, matches it, and gives an alternative that is not in the list', () => {
  for (const { name, instead } of words) {
    expect(found(name), name).not.toEqual([]);
    expect(found(instead), name).toEqual([]);
  }
});

test('strings are found in their lines; ids, comments, expressions and SQL are not', () => {
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

test('every line of a template is found, and strings in its expressions', () => {
  const source = ['const help = `', '  open  nobody reads $', "{of(`b}`, 'it goes on')}", '  it stands here', '`;'];
  expect(found(stringsOf(source.join('\n').replace('$\n', '$'), false))).toEqual(['2 nobody', '2 goes on', '3 stands']);
});

test('the texts of a page are found, in its tags and expressions too; classes, styles and scripts are not', () => {
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
