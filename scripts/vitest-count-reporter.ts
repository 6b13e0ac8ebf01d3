import type { Reporter, TestModule } from 'vitest/node';

/** Prints the closing line that CI reads: `N passed, N failed`, and how many were skipped. */
export default class CountReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[], errors: readonly unknown[]): void {
    const count = { passed: 0, failed: errors.length, skipped: 0 };
    for (const module of modules) {
      for (const test of module.children.allTests()) {
        const { state } = test.result();
        if (state === 'passed' || state === 'failed') count[state] += 1;
        else count.skipped += 1;
      }
      // A file that did not load has no tests to count, yet it failed.
      if (module.state() === 'failed' && module.errors().length > 0) count.failed += 1;
    }
    const skipped = count.skipped > 0 ? `, ${count.skipped} skipped` : '';
    process.on('exit', () => console.log(`\n${count.passed} passed, ${count.failed} failed${skipped}`));
  }
}
