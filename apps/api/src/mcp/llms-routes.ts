import { tools } from '@inferboard/core/adapters/tools';
import { concernReasonIds } from '@inferboard/core/concerns';
import { metricFamilies } from '@inferboard/core/metrics/index';
import { Hono } from 'hono';
import { agentTools } from './mcp-tools.ts';

function describe(base: string): string {
  const metrics = metricFamilies.map(
    ({ base: name, unit, title }) => `- ${name}${unit === '' ? '' : ` (${unit})`}: ${title}`,
  );
  const toolNames = [...new Set(tools.map(({ name }) => name))].sort();
  return `# Inferboard

> An open benchmark service for LLM inference: submitted output of benchmark tools, checked and derived. Every number links to the data it came from.

## Ask

- [Best configuration](${base}/v1/best?q=best+model+under+20ms+ITL+on+H100): a question in words, or in parameters
- [Leaderboard](${base}/v1/leaderboard): each system at its best point, with any bound, \`min_<metric>\` and \`max_<metric>\`
- [Results](${base}/v1/results), as a file [JSONL](${base}/v1/results.jsonl), [CSV](${base}/v1/results.csv) or [Parquet](${base}/v1/results.parquet)
- [Systems](${base}/v1/systems), [compare](${base}/v1/compare), [frontier](${base}/v1/pareto), [matrix](${base}/v1/matrix)
- [Changes](${base}/v1/changes), as a [feed](${base}/feed.xml), and [retractions](${base}/feed/retractions.xml); the history of a system at \`/v1/history?system=\`
- Lists are short: \`full=true\` adds runs, all metrics, the facts of systems and the evidence of findings
- [OpenAPI document](${base}/openapi.json), [reference](${base}/docs)
- Model Context Protocol at ${base}/mcp: ${agentTools.map(({ name }) => name).join(', ')}

## Metrics

${metrics.join('\n')}

A latency takes a statistic: ttft_ms_mean, ttft_ms_p50, _p90, _p95, _p99. Missing is null, zero is a measurement.

## Submit

POST the unmodified output of a tool to ${base}/v1/submissions. Supported tools: ${toolNames.join(', ')}.

## Report a problem

POST \`{"reason": ..., "text": ...}\` to ${base}/v1/submissions/{id}/concerns, without a key, to report what is wrong with a submission. Reasons: ${concernReasonIds.join(', ')}.
`;
}

/** Describes the service and its API for language models. */
export function llmsRoutes(base: string) {
  return new Hono().get('/llms.txt', (c) =>
    c.body(describe(base), 200, { 'Content-Type': 'text/markdown; charset=utf-8' }),
  );
}
