import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { orderVersions } from './change-versions.ts';

/** Versions in the order in which they became known, one day each. */
const known = (...versions: (string | null)[]) =>
  versions.map((version, day) => ({ version, since: new Date(Date.UTC(2026, 0, 1 + day)).toISOString() }));
const ordered = (...versions: (string | null)[]) => orderVersions(known(...versions)).map(({ version }) => version);

describe('versions', () => {
  test.each<[string, (string | null)[], (string | null)[]]>([
    ['are ordered by number, not by digit', ['0.11.0', '0.9.2', '0.10'], ['0.9.2', '0.10', '0.11.0']],
    ['builds', ['b6413', 'b999', 'b10000'], ['b999', 'b6413', 'b10000']],
    ['may start with v', ['v0.11.0', '0.10.0'], ['0.10.0', 'v0.11.0']],
    [
      'include pre-releases and post-releases',
      ['0.5.4.post1', '0.5.4', '0.5.4rc2', '0.5.4rc1', '0.5.4.dev3', '0.5.4rc2.dev15+gabc123'],
      ['0.5.4.dev3', '0.5.4rc1', '0.5.4rc2.dev15+gabc123', '0.5.4rc2', '0.5.4', '0.5.4.post1'],
    ],
    [
      'that are days are ordered by date',
      ['as of 2026-05-20', 'as of 2026-04-17', 'as of 2025-12-31'],
      ['as of 2025-12-31', 'as of 2026-04-17', 'as of 2026-05-20'],
    ],
    ['with days among releases are ordered by time', ['as of 2026-05-20', '0.5.12'], ['as of 2026-05-20', '0.5.12']],
    [
      'with one that is not a release are ordered by time',
      ['0.11.0', 'a1b2c3d', '0.9.2'],
      ['0.11.0', 'a1b2c3d', '0.9.2'],
    ],
    ['with builds among releases are ordered by time', ['b9', '0.9.2', 'b1'], ['b9', '0.9.2', 'b1']],
    ['start with an unstated one', ['0.9.2', null], [null, '0.9.2']],
    ['have zeros for missing numbers, and are then ordered by time', ['1.0.0', '1.0', '1'], ['1.0.0', '1.0', '1']],
  ])('%s', (_, given, expected) => {
    expect(ordered(...given)).toEqual(expected);
  });
});

test('have the same order for any order of input', () => {
  const version = fc.option(
    fc.oneof(
      fc.stringMatching(/^v?\d{1,2}(\.\d{1,2}){0,2}(rc\d)?$/),
      fc.constantFrom('b1', 'b20', 'a1b2c3d', 'main', '1.0.post1', '999999999999999.1', ''),
      fc.string({ maxLength: 12 }),
    ),
  );
  fc.assert(
    fc.property(fc.uniqueArray(version, { maxLength: 12 }), fc.infiniteStream(fc.nat()), (versions, places) => {
      const given = known(...versions);
      const shuffled = given
        .map((one) => ({ one, place: places.next().value }))
        .sort((a, b) => a.place - b.place)
        .map(({ one }) => one);
      expect(orderVersions(shuffled)).toEqual(orderVersions(given));
    }),
  );
});
