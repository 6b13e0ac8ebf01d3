import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';
import { setEnvironment } from './tests/setup/environment.ts';
import { isFresh, retry } from './tests/setup/seed.ts';

setEnvironment();

/** Tests that depend on timing: they run when all others are done, because those keep the cores busy. These mostly wait. */
const timed = [
  'packages/loadgen/src/{capacity,compare-servers,fake-server,measure,points,turns,wire}/**/*.test.ts',
  'tests/measure/measure{,-capacity,-outputs,-traffic,-watched,-workers}.test.ts',
];
/** The test of the production layout, which keeps all cores busy. It runs last. */
const layout = 'tests/layout.test.ts';
/** Stops a test that hangs. No test needs this long, even on a busy machine. */
const patience_ms = isFresh ? 7_200_000 : 600_000;
/** More than one for each core: tests of services wait for other processes much of the time, timed tests for the clock. */
const workers = Math.ceil(1.5 * availableParallelism());
const common = {
  // Test files share loaded modules: loading them takes as long as most of the tests.
  isolate: false,
  setupFiles: ['tests/setup/draw.ts'],
  testTimeout: patience_ms,
  hookTimeout: patience_ms,
  // Asking a busy process more often makes it slower.
  expect: { poll: { timeout: 120_000, interval: 200 } },
};
const database = { ...common, retry, globalSetup: ['packages/db/src/testing/global-setup.ts'] };

export default defineConfig({
  test: {
    globalSetup: ['tests/setup/build.ts'],
    reporters: ['default', './scripts/vitest-count-reporter.ts'],
    projects: [
      {
        test: {
          name: 'pure',
          ...common,
          maxWorkers: workers,
          include: [
            'packages/core/src/**/*.test.ts',
            'packages/cli/src/**/*.test.ts',
            'packages/loadgen/src/{cli,pacing,probe,prompts,records,report,traffic,view}/**/*.test.ts',
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
          maxWorkers: workers,
          include: ['packages/db/src/**/*.test.ts', 'apps/{api,worker}/src/**/*.test.ts'],
          exclude: timed,
        },
      },
      {
        test: {
          name: 'system',
          ...database,
          maxWorkers: workers,
          include: ['tests/**/*.test.ts'],
          exclude: [...timed, layout, 'tests/infra/**', 'tests/setup/**'],
        },
      },
      {
        test: {
          name: 'timed',
          ...database,
          maxWorkers: workers,
          sequence: { groupOrder: 1 },
          include: timed,
        },
      },
      {
        test: {
          name: 'layout',
          ...database,
          maxWorkers: 1,
          sequence: { groupOrder: 2 },
          include: [layout],
        },
      },
    ],
  },
});
