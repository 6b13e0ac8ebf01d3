import { relative } from 'node:path';
import type { Reporter, TestModule } from 'vitest/node';

/**
 * Prints the last line, which CI parses: `N passed, N failed`, and the number of skipped tests. After a failure, it first prints
 * how to repeat the run with the same random values. Tests that passed only when repeated are listed.
 */
export default class CountReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[], errors: readonly unknown[]): void {
    const count = { passed: 0, failed: errors.length, skipped: 0 };
    const failed = modules.filter((module) => module.state() === 'failed');
    const repeated: string[] = [];
    for (const module of modules) {
      for (const test of module.children.allTests()) {
        if (test.diagnostic()?.flaky) repeated.push(`${relative(process.cwd(), module.moduleId)} > ${test.fullName}`);
        const { state } = test.result();
        if (state === 'passed' || state === 'failed') count[state] += 1;
        else count.skipped += 1;
      }
      // A file that failed to load has no tests, but counts as a failure.
      if (module.state() === 'failed' && module.errors().length > 0) count.failed += 1;
    }
    const skipped = count.skipped > 0 ? `, ${count.skipped} skipped` : '';
    const { TEST_SEED, TEST_RUNS } = process.env;
    const command = TEST_RUNS === undefined ? 'npx vitest run' : 'npm run test:fresh --';
    const files = failed.map(({ moduleId }) => relative(process.cwd(), moduleId)).join(' ');
    process.on('exit', () => {
      if (repeated.length > 0) console.log(`\nPassed when repeated:\n${repeated.join('\n')}`);
      if (count.failed > 0) console.log(`\nTo repeat: TEST_SEED=${TEST_SEED} ${command} ${files}`);
      console.log(`\n${count.passed} passed, ${count.failed} failed${skipped}`);
    });
  }
}
