import fc from 'fast-check';

// Runs before each test file: the one place where the tests get their seed.

/** A run of `npm run test:long` draws more values for each property that names no number of its own. */
const { TEST_RUNS, TEST_SEED } = process.env;
fc.configureGlobal({ seed: Number(TEST_SEED), ...(TEST_RUNS !== undefined && { numRuns: Number(TEST_RUNS) }) });
