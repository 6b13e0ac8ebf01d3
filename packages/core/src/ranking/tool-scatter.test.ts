import fc from 'fast-check';
import { expect, test } from 'vitest';
import { assumedFactors, pooledCv } from '../statistics/pooled-cv.ts';
import { assumptionOf, assumptionsByTool, type ToolScatter } from './tool-scatter.ts';

const scatterOf = (tool: string, squares: number, df = 4): ToolScatter => ({ tool, squares, df, groups: 2 });

test('computes the pooled coefficient of variation from the sums of a tool', () => {
  const group = fc.record({ n: fc.integer({ min: 2, max: 9 }), cv: fc.double({ min: 0, max: 2, noNaN: true }) });
  fc.assert(
    fc.property(fc.array(group, { minLength: 1, maxLength: 9 }), (groups) => {
      const squares = groups.reduce((sum, { n, cv }) => sum + (n - 1) * cv ** 2, 0);
      const df = groups.reduce((sum, { n }) => sum + n - 1, 0);
      const found = assumptionsByTool([{ tool: 'native', squares, df, groups: groups.length }]).get('native');
      const pooled = pooledCv(groups);
      expect(found?.pooled).toEqual({ ...pooled, cv: expect.closeTo(pooled?.cv ?? Number.NaN, 10) });
      expect(found?.factors).toEqual(found && assumedFactors(found.pooled));
      const [low, high] = found?.factors ?? [];
      expect(low).toBeGreaterThanOrEqual(0);
      expect(low).toBeLessThanOrEqual(1);
      expect(high).toBeGreaterThanOrEqual(1);
    }),
  );
});

test('returns no assumption for a tool without repetitions', () => {
  const given = [scatterOf('none', 0, 0), { ...scatterOf('taken back', 1), groups: 0 }, scatterOf('native', 0.01)];
  expect([...assumptionsByTool(given).keys()]).toEqual(['native']);
});

test('treats negative sums from rounding as 0', () => {
  expect(assumptionsByTool([scatterOf('native', -1e-18)]).get('native')).toEqual({
    pooled: { cv: 0, df: 4, groups: 2 },
    factors: [1, 1],
  });
});

test('uses the widest scatter of several tools, even if others are unknown', () => {
  const byTool = assumptionsByTool([
    scatterOf('narrow', 0.01),
    scatterOf('wide', 0.04),
    // The same scatter from fewer repetitions is weaker evidence.
    scatterOf('rare', 0.0025, 1),
    scatterOf('exact', 0),
  ]);
  const widest = (...tools: string[]) => assumptionOf(tools, byTool);
  expect(widest('narrow', 'wide', 'exact')).toBe(byTool.get('wide'));
  expect(widest('wide', 'narrow')).toBe(byTool.get('wide'));
  expect(widest('narrow', 'rare')).toBe(byTool.get('rare'));
  expect(widest('unknown', 'narrow', 'unknown')).toBe(byTool.get('narrow'));
  expect(widest('exact')).toBe(byTool.get('exact'));
  expect([widest('unknown'), widest()]).toEqual([null, null]);
});
