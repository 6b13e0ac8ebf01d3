import fc from 'fast-check';
import { expect, test } from 'vitest';
import { newestGroups, newestMost } from './claim-summary.ts';
import { ClaimWindow } from './claim-window.ts';
import type { Contribution } from './contribution.ts';

interface Made {
  id: number;
  value: number;
  tool: string;
  formula: string;
  hasTtft: boolean;
  isDerived: boolean;
}

const idOf = (id: number) => `res_${String(id).padStart(8, '0')}`;

const contribution = ({ id, value, tool, formula, hasTtft, isDerived }: Made): Contribution => ({
  ...{ id: idOf(id), pointId: 1, account: 'acc_1', status: 'accepted', ownTrust: 'self_reported', tool },
  definitions: { tpot_ms: formula },
  derived: isDerived ? ['output_tok_s'] : [],
  repeats: null,
  values: [{ output_tok_s: value, tpot_ms_mean: value / 3, ...(hasTtft ? { ttft_ms_mean: 2 * value } : {}) }],
});

const made = fc.record({
  id: fc.integer({ min: 0, max: 50_000 }),
  value: fc.oneof(fc.integer({ min: 1, max: 5 }), fc.double({ min: 0.1, max: 1e4, noNaN: true })),
  tool: fc.constantFrom('vllm', 'sglang'),
  formula: fc.constantFrom('client', 'inside'),
  hasTtft: fc.boolean(),
  isDerived: fc.boolean(),
});

const byId = (a: Contribution, b: Contribution) => (a.id < b.id ? -1 : 1);

function asPlain(groups: ReturnType<typeof newestGroups> | undefined): unknown {
  return groups
    ?.map(({ figures, ...group }) => ({
      ...group,
      figures: [...figures].sort(([a], [b]) => (a < b ? -1 : 1)),
    }))
    .sort((a, b) => (`${a.base} ${a.definition}` < `${b.base} ${b.definition}` ? -1 : 1));
}

test('gives the same window if results are added one by one or together', () => {
  const uploads = fc.array(fc.uniqueArray(made, { selector: ({ id }) => id, minLength: 1, maxLength: 8 }), {
    maxLength: 12,
  });
  fc.assert(
    fc.property(fc.uniqueArray(made, { selector: ({ id }) => id, maxLength: 40 }), uploads, (first, later) => {
      let all = first.map(contribution).sort(byId);
      let window = ClaimWindow.of(all);
      for (const upload of later) {
        const added = upload.filter(({ id }) => all.every((one) => one.id !== idOf(id))).map(contribution);
        const before = asPlain(window?.groups());
        const next = window?.with(added) ?? null;
        expect(asPlain(window?.groups())).toEqual(before);
        window = next;
        all = [...all, ...added].sort(byId);
        expect(window?.results).toEqual(all);
        expect(asPlain(window?.groups())).toEqual(asPlain(newestGroups(all)));
      }
    }),
  );
});

test('keeps the newest results', () => {
  const results = Array.from({ length: newestMost + 7 }, (_, at) =>
    contribution({
      ...{ id: 10 * at, value: 100 + 7 * Math.sin(at) + (at % 97 === 0 ? 50 : 0), tool: at < 5 ? 'sglang' : 'vllm' },
      ...{ formula: at < 3 ? 'inside' : 'client', hasTtft: at % 2 === 0, isDerived: at === 1 },
    }),
  );
  let window = ClaimWindow.of(results.slice(0, newestMost - 2));
  for (const result of results.slice(newestMost - 2)) window = window?.with([result]) ?? null;
  // A late result is inserted at its position; one older than the whole window is ignored.
  const late = contribution({ id: 505, value: 1, tool: 'vllm', formula: 'client', hasTtft: false, isDerived: false });
  const old = contribution({ id: 3, value: 1, tool: 'vllm', formula: 'client', hasTtft: false, isDerived: false });
  window = window?.with([late])?.with([old]) ?? null;
  const newest = [...results, late, old].sort(byId).slice(-newestMost);
  expect(window?.results).toEqual(newest);
  expect(asPlain(window?.groups())).toEqual(asPlain(newestGroups(newest)));
});

test('is null for results that average repetitions', () => {
  const one = contribution({ id: 1, value: 2, tool: 'vllm', formula: 'client', hasTtft: true, isDerived: false });
  const averaged = { ...one, id: idOf(2), repeats: { n: 3, sd: null, samples: null } };
  expect(ClaimWindow.of([one, averaged])).toBeNull();
  expect(ClaimWindow.of([one])?.with([averaged])).toBeNull();
});
