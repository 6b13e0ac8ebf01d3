import fc from 'fast-check';

// Runs before each test file and sets the seed of the property tests.

/** `npm run test:fresh` draws more values for each property without an explicit number. */
const { TEST_RUNS, TEST_SEED } = process.env;
fc.configureGlobal({ seed: Number(TEST_SEED), ...(TEST_RUNS !== undefined && { numRuns: Number(TEST_RUNS) }) });
