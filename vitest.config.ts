import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    reporters: ['default', './scripts/vitest-count-reporter.ts'],
    projects: [
      {
        test: {
          name: 'pure',
          // Property tests and whole formats, beside whatever else the machine does.
          testTimeout: 30_000,
          include: [
            'packages/core/src/**/*.test.ts',
            'packages/loadgen/src/**/*.test.ts',
            'packages/outbound/src/**/*.test.ts',
            'apps/site/src/**/*.test.ts',
          ],
        },
      },
      {
        test: {
          name: 'services',
          include: [
            'packages/db/src/**/*.test.ts',
            'apps/api/src/**/*.test.ts',
            'apps/worker/src/**/*.test.ts',
            'tests/**/*.test.ts',
          ],
          globalSetup: ['packages/db/src/testing/global-setup.ts'],
          testTimeout: 60_000,
          hookTimeout: 60_000,
        },
      },
    ],
  },
});
