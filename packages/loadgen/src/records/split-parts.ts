/** The native format takes no more in one artifact, and the service no longer a body. */
export const partLimits = { bytes: 16 * 1024 * 1024, requests: 200_000, gaps: 2_000_000 };

/** A body of a submission. */
export interface Part {
  text: string;
  reports: number;
}

interface Weighed {
  text: string;
  bytes: number;
  requests: number;
  gaps: number;
}

type Report = { results: { requests?: { itl_ms?: readonly number[] | null }[] }[] };

function weigh(text: string): Weighed {
  const requests = (JSON.parse(text) as Report).results.flatMap((result) => result.requests ?? []);
  const gaps = requests.reduce((sum, { itl_ms }) => sum + (itl_ms?.length ?? 0), 0);
  return { text, bytes: Buffer.byteLength(text), requests: requests.length, gaps };
}

/** A report without the gaps between its chunks. */
function withoutGaps(text: string): string {
  const report = JSON.parse(text) as Report;
  const results = report.results.map((result) => ({
    ...result,
    requests: result.requests?.map((request) => ({ ...request, itl_ms: null })),
  }));
  return `${JSON.stringify({ ...report, results })}\n`;
}

type Limits = typeof partLimits;

const fits = (weight: Omit<Weighed, 'text'>, limits: Limits) =>
  weight.bytes <= limits.bytes && weight.requests <= limits.requests && weight.gaps <= limits.gaps;

/**
 * Divides reports, one a line each, among as few bodies as keep their order, the same for the same reports. A report that is
 * too large alone goes without its gaps; how many do is `shortened`.
 */
export function splitParts(reports: readonly string[], limits = partLimits): { parts: Part[]; shortened: number } {
  let shortened = 0;
  const groups: Weighed[][] = [];
  let room = { bytes: 0, requests: 0, gaps: 0 };
  for (const report of reports) {
    let weight = weigh(report);
    if (!fits(weight, limits)) {
      shortened++;
      weight = weigh(withoutGaps(report));
    }
    const together = {
      bytes: room.bytes + weight.bytes,
      requests: room.requests + weight.requests,
      gaps: room.gaps + weight.gaps,
    };
    const group = groups.at(-1);
    if (group !== undefined && fits(together, limits)) {
      group.push(weight);
      room = together;
    } else {
      groups.push([weight]);
      room = weight;
    }
  }
  const parts = groups.map((group) => ({ text: group.map(({ text }) => text).join(''), reports: group.length }));
  return { parts, shortened };
}
