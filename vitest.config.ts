import { defineConfig } from 'vitest/config';
import { isLong, settleSeed } from './tests/setup/seed.ts';

settleSeed();

/** What measures times, and would measure its neighbours too: one file after another, when all others are done. */
const timed = [
  'packages/loadgen/src/**/*.test.ts',
  'apps/worker/src/**/*.test.ts',
  'tests/measure.test.ts',
  'tests/managed-runs.test.ts',
  'tests/layout.test.ts',
];
/** A test that hangs ends some time; none takes so long on any machine, however busy. */
const patience_ms = isLong ? 7_200_000 : 600_000;
const common = {
  setupFiles: ['tests/setup/draw.ts'],
  testTimeout: patience_ms,
  hookTimeout: patience_ms,
  expect: { poll: { timeout: 120_000 } },
};
const database = { ...common, globalSetup: ['packages/db/src/testing/global-setup.ts'] };

export default defineConfig({
  test: {
    reporters: ['default', './scripts/vitest-count-reporter.ts'],
    projects: [
      {
        test: {
          name: 'pure',
          ...common,
          maxWorkers: '100%',
          include: [
            'packages/core/src/**/*.test.ts',
            'packages/cli/src/**/*.test.ts',
            'packages/outbound/src/**/*.test.ts',
            'packages/telemetry/src/**/*.test.ts',
            'apps/site/src/**/*.test.ts',
            'tests/infra/**/*.test.ts',
            'tests/setup/**/*.test.ts',
            'bench/**/*.test.ts',
            'scripts/**/*.test.ts',
          ],
        },
      },
      {
        test: {
          name: 'services',
          ...database,
          maxWorkers: '100%',
          include: ['packages/db/src/**/*.test.ts', 'apps/api/src/**/*.test.ts', 'tests/**/*.test.ts'],
          exclude: [...timed, 'tests/infra/**', 'tests/setup/**'],
        },
      },
      {
        test: {
          name: 'timed',
          ...database,
          maxWorkers: 1,
          sequence: { groupOrder: 1 },
          include: timed,
        },
      },
    ],
  },
});
