import { defineConfig } from 'vitest/config';

/** What measures times, and would measure its neighbours too: one file after another, when all others are done. */
const timed = [
  'packages/loadgen/src/**/*.test.ts',
  'apps/worker/src/**/*.test.ts',
  'tests/measure.test.ts',
  'tests/managed-runs.test.ts',
  'tests/layout.test.ts',
];
const database = {
  globalSetup: ['packages/db/src/testing/global-setup.ts'],
  testTimeout: 60_000,
  hookTimeout: 60_000,
};

export default defineConfig({
  test: {
    reporters: ['default', './scripts/vitest-count-reporter.ts'],
    projects: [
      {
        test: {
          name: 'pure',
          // Property tests and whole formats, beside whatever else the machine does.
          testTimeout: 30_000,
          maxWorkers: '100%',
          include: [
            'packages/core/src/**/*.test.ts',
            'packages/outbound/src/**/*.test.ts',
            'packages/telemetry/src/**/*.test.ts',
            'apps/site/src/**/*.test.ts',
            'tests/infra/**/*.test.ts',
          ],
        },
      },
      {
        test: {
          name: 'services',
          ...database,
          maxWorkers: '100%',
          include: ['packages/db/src/**/*.test.ts', 'apps/api/src/**/*.test.ts', 'tests/**/*.test.ts'],
          exclude: [...timed, 'tests/infra/**'],
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
