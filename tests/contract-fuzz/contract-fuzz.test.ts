import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { formatReport } from './report.ts';
import { fuzz } from './run.ts';
import { type FuzzedService, startFuzzedService } from './service.ts';

// Requests made from the served document alone. Whoever writes a client from it must never meet an answer that it does not
// tell of, and whoever makes a mistake must be told which.

/** `npm run fuzz` asks for many more. */
const requests = Number(process.env.FUZZ_REQUESTS ?? 2000);
const seed = Number(process.env.TEST_SEED);

let service: FuzzedService;
beforeAll(async () => {
  service = await startFuzzedService();
});
afterAll(() => service?.dispose());

describe('whatever the document allows, and whatever it does not', () => {
  it(
    'is answered as the document says',
    async () => {
      const report = await fuzz(service, requests, seed);
      const text = formatReport(report, seed);
      console.log(text);
      expect(report.complaints.size, text).toBe(0);
      expect(report.requests).toBe(requests);
      // A generator that stopped breaking things would find nothing wrong.
      expect(report.broken / report.requests).toBeGreaterThan(0.3);
      // And one that asks for what is not there would never see an answer.
      expect(report.answered / (report.requests - report.broken)).toBeGreaterThan(0.6);
    },
    60_000 + requests * 60,
  );
});
