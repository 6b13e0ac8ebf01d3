import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { formatReport } from './report.ts';
import { fuzz } from './run.ts';
import { type FuzzedService, startFuzzedService } from './service.ts';

// Requests generated only from the served OpenAPI document. Every response must match the document, and every error must name
// what is wrong.

/** `npm run fuzz` sends many more. */
const requests = Number(process.env.FUZZ_REQUESTS ?? 2000);
const seed = Number(process.env.TEST_SEED);

let service: FuzzedService;
beforeAll(async () => {
  service = await startFuzzedService();
});
afterAll(() => service?.dispose());

describe('valid and invalid requests from the OpenAPI document', () => {
  it(
    'get the documented responses',
    async () => {
      const report = await fuzz(service, requests, seed);
      const text = formatReport(report, seed);
      console.log(text);
      expect(report.complaints.size, text).toBe(0);
      expect(report.requests).toBe(requests);
      // A generator without invalid requests would find no errors.
      expect(report.broken / report.requests).toBeGreaterThan(0.3);
      // A generator that only requests missing objects would never see a success.
      expect(report.answered / (report.requests - report.broken)).toBeGreaterThan(0.6);
    },
    60_000 + requests * 60,
  );
});
