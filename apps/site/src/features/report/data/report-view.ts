import type { LineChart } from '../../../charts/line-chart.ts';
import { type ChartSetting, rangeChart, type SeriesChart, seriesChart, thresholdLine } from './report-charts.ts';
import { figuresOf, type Report, type ReportFinding, type ReportSeries } from './report-figures.ts';

/** A chart with a description. */
export interface ChartBlock {
  id: string;
  title: string;
  /** Glossary term of the metric in the chart. */
  term: string;
  /** How to read it. */
  intro: string;
  chart: LineChart;
  findings: ReportFinding[];
}

export interface ReportSection {
  id: 'peak' | 'burst' | 'batch';
  title: string;
  /** The question of the section and how to read its answer. */
  lead: string;
  blocks: ChartBlock[];
  /** Findings whose charts are not drawn. */
  findings: ReportFinding[];
  /** Why the section is empty; null if it is not. */
  absent: string | null;
}

interface Wanted extends Omit<ChartBlock, 'chart' | 'findings'> {
  chart: LineChart | null;
  /** Ids of the section's findings. */
  says: readonly string[];
}

const words: Record<ReportSection['id'], Pick<ReportSection, 'title' | 'lead'>> = {
  peak: {
    title: 'At its fastest',
    lead: 'The client keeps a fixed number of requests, 1 to 32, in flight. It sends the next as soon as one completes, so no request queues. This is the best that the hardware delivers to one user and to several.',
  },
  burst: {
    title: 'When requests queue',
    lead: 'The client sends up to 256 requests at the same moment. Those that the engine cannot start immediately wait. Use these figures to plan capacity for peaks.',
  },
  batch: {
    title: 'Offline, in batches',
    lead: 'A program sends the engine one batch of a fixed size and waits for all of it. No user waits for the stream, so throughput matters most.',
  },
};

const ofSection = ({ findings }: Report, id: ReportSection['id']) => findings.filter(({ section }) => section === id);

const noMetric = 'These loads were measured, but without a metric of this section. The tables below have all metrics.';

/** A section with the charts that have data. Findings of missing charts are listed too. */
function section(report: Report, id: ReportSection['id'], wanted: readonly Wanted[]): ReportSection {
  const all = ofSection(report, id);
  const blocks = wanted.flatMap(({ chart, says, ...rest }): ChartBlock[] =>
    chart === null ? [] : [{ ...rest, chart, findings: all.filter((finding) => says.includes(finding.id)) }],
  );
  const charted = new Set(blocks.flatMap(({ findings }) => findings.map((finding) => finding.id)));
  const findings = all.filter((finding) => !charted.has(finding.id));
  // The section of bursts also has queues, which are not a chart.
  const hasNothing = id !== 'burst' && blocks.length === 0 && findings.length === 0;
  return {
    id,
    ...words[id],
    blocks,
    findings,
    absent: report.unmeasured.find((each) => each.section === id)?.reason ?? (hasNothing ? noMetric : null),
  };
}

const reaches = (series: readonly ReportSeries[], limit: number) =>
  series.some((each) => figuresOf(each).some(({ value }) => value > limit));

function peakCharts(report: Report, setting: ChartSetting): Wanted[] {
  const { peak } = report;
  if (peak === null) return [];
  const line = (id: string) => thresholdLine(report, id, 'ms');
  const mode = 'concurrency';
  const fluid = line('itl_fluid');
  const isSlow = fluid !== null && reaches(peak.itl_ms, fluid.value);
  const [speedRange, waitRange] = ['Range of decode speed', 'Range of TTFT'];
  const waits: Omit<SeriesChart, 'series'> = { title: waitRange, mode, lines: [line('ttft_limit')] };
  return [
    {
      id: 'peak-speed',
      title: 'Decode speed by scenario',
      term: 'user_tok_s',
      intro:
        'The speed for each user while the answer streams. The dotted lines in the same colours are the limits set by memory and arithmetic.',
      chart: seriesChart(
        { title: 'Decode speed by scenario', mode, series: peak.user_tok_s, bounds: peak.roofline_user_tok_s },
        setting,
      ),
      says: ['peak_speed', 'peak_roofline'],
    },
    {
      id: 'peak-itl',
      title: 'Inter-token latency by scenario',
      term: 'itl_ms',
      intro:
        'The gap from one chunk of the stream to the next. A chunk is usually one token. At or below the lower line, a stream appears instant.',
      chart: seriesChart(
        {
          title: 'Inter-token latency by scenario',
          mode,
          series: peak.itl_ms,
          lines: [fluid, isSlow ? line('itl_sluggish') : null],
        },
        setting,
      ),
      says: ['peak_itl'],
    },
    {
      id: 'peak-scaling',
      title: 'Scaling efficiency',
      term: 'scaling_efficiency',
      intro:
        'The share of single-user speed that each user keeps when several are served. The line at 100 % is the ideal: no loss.',
      chart: seriesChart(
        {
          title: 'Scaling efficiency',
          mode,
          series: peak.scaling_efficiency,
          lines: [{ value: 1, text: '100 %' }],
        },
        setting,
      ),
      says: ['peak_scaling', 'peak_scaling_unknown'],
    },
    {
      id: 'peak-range',
      title: speedRange,
      term: 'user_tok_s',
      intro: 'From the best scenario to the worst. A narrow band means that the prompt length matters little.',
      chart: rangeChart({ title: speedRange, mode, metric: 'user_tok_s' }, report.ranges, setting),
      says: ['peak_range'],
    },
    {
      id: 'peak-ttft',
      title: waitRange,
      term: 'ttft_ms',
      intro:
        'How long users wait for the first token. The engine reads the prompt first, so requests with long prompts wait longest.',
      chart:
        rangeChart({ ...waits, metric: 'ttft_ms_mean' }, report.ranges, setting) ??
        seriesChart({ ...waits, series: peak.ttft_ms }, setting),
      says: ['peak_ttft'],
    },
  ];
}

function burstCharts(report: Report, setting: ChartSetting): Wanted[] {
  const { burst } = report;
  if (burst === null) return [];
  const line = (id: string) => thresholdLine(report, id, 'ms');
  const mode = 'burst';
  const chart = (title: string, series: readonly ReportSeries[], lines: SeriesChart['lines'] = []) =>
    seriesChart({ title, mode, series, lines }, setting);
  const [wait, gap, speed] = [
    'TTFT by queue depth',
    'Inter-token latency by queue depth',
    'Decode speed by queue depth',
  ];
  return [
    {
      id: 'burst-ttft',
      title: wait,
      term: 'ttft_ms',
      intro:
        'Use this chart for planning: every request after the first waits for other prompts. The line is the longest acceptable wait.',
      chart: chart(wait, burst.ttft_ms, [line('ttft_limit')]),
      says: ['burst_ttft'],
    },
    {
      id: 'burst-itl',
      title: gap,
      term: 'itl_ms',
      intro:
        'How evenly tokens arrive once an answer has started. Gaps level off where the engine admits no more sequences at a time.',
      chart: chart(gap, burst.itl_ms, [line('itl_fluid'), line('itl_sluggish')]),
      says: ['burst_itl'],
    },
    {
      id: 'burst-speed',
      title: speed,
      term: 'user_tok_s',
      intro: 'The same data as a speed. It often stays high even if the wait for the first token grows.',
      chart: chart(speed, burst.user_tok_s),
      says: ['burst_speed'],
    },
  ];
}

function batchCharts({ batch }: Report, setting: ChartSetting): Wanted[] {
  if (batch === null || batch.levels.length < 2) return [];
  const block = (
    id: string,
    title: string,
    term: string,
    intro: string,
    series: readonly ReportSeries[],
    says: string[],
  ) => ({
    id,
    title,
    term,
    intro,
    chart: seriesChart({ title, mode: 'batch', series }, setting),
    says,
  });
  return [
    block(
      'batch-decode',
      'Decode speed by batch',
      'decode_tok_s',
      'All sequences together, excluding prompts.',
      batch.decode_tok_s,
      ['batch_single', 'batch_decode'],
    ),
    block(
      'batch-output',
      'Output throughput by batch',
      'output_tok_s',
      'All sequences together, including prompts.',
      batch.output_tok_s,
      [],
    ),
    block(
      'batch-prefill',
      'Prefill speed by batch',
      'prefill_tok_s',
      'How fast the engine reads prompts.',
      batch.prefill_tok_s,
      [],
    ),
    block(
      'batch-scaling',
      'Scaling efficiency',
      'scaling_efficiency',
      'The share of single-sequence speed that each sequence keeps.',
      batch.scaling_efficiency,
      ['batch_scaling'],
    ),
  ];
}

/** The sections of a report in order. Sections without measurements state why, unless the whole report is empty. */
export function toReportSections(report: Report, setting: ChartSetting): ReportSection[] {
  const sections = [
    section(report, 'peak', peakCharts(report, setting)),
    section(report, 'burst', burstCharts(report, setting)),
    section(report, 'batch', batchCharts(report, setting)),
  ];
  return sections.every(({ absent }) => absent !== null) ? [] : sections;
}
