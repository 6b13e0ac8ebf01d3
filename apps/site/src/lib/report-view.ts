import type { LineChart } from '../charts/line-chart.ts';
import { type ChartSetting, rangeChart, type SeriesChart, seriesChart, thresholdLine } from './report-charts.ts';
import { figuresOf, type Report, type ReportFinding, type ReportSeries } from './report-figures.ts';

/** A chart with what it says in plain words. */
export interface ChartBlock {
  id: string;
  title: string;
  /** Entry of the glossary that explains what is drawn. */
  term: string;
  /** How to read it. */
  intro: string;
  chart: LineChart;
  findings: ReportFinding[];
}

export interface ReportSection {
  id: 'peak' | 'burst' | 'batch';
  title: string;
  /** What was asked of the system here, and what it tells. */
  lead: string;
  blocks: ChartBlock[];
  /** Findings of charts that are not drawn. */
  findings: ReportFinding[];
  /** Why there is nothing; null where there is something. */
  absent: string | null;
}

interface Wanted extends Omit<ChartBlock, 'chart' | 'findings'> {
  chart: LineChart | null;
  /** Ids of the findings that belong to it. */
  says: readonly string[];
}

const words: Record<ReportSection['id'], Pick<ReportSection, 'title' | 'lead'>> = {
  peak: {
    title: 'When it is fastest',
    lead: 'A fixed number of requests is kept in flight, 1 to 32: as soon as one is answered the next is sent, so no request queues. This is the best that the hardware gives to one user and to several.',
  },
  burst: {
    title: 'When requests pile up',
    lead: 'All requests are sent at the same moment, up to 256 of them, and those that the engine cannot take at once wait. Plan capacity for peaks by these figures.',
  },
  batch: {
    title: 'Offline, in batches',
    lead: 'A program gives the engine one batch of a fixed size and waits for all of it. No user waits for the stream, so rates are what counts.',
  },
};

const ofSection = ({ findings }: Report, id: ReportSection['id']) => findings.filter(({ section }) => section === id);

/** A section of the charts that could be drawn; a finding whose chart is missing is still told. */
function section(report: Report, id: ReportSection['id'], wanted: readonly Wanted[]): ReportSection {
  const all = ofSection(report, id);
  const blocks = wanted.flatMap(({ chart, says, ...rest }): ChartBlock[] =>
    chart === null ? [] : [{ ...rest, chart, findings: all.filter((finding) => says.includes(finding.id)) }],
  );
  const told = new Set(blocks.flatMap(({ findings }) => findings.map((finding) => finding.id)));
  return {
    id,
    ...words[id],
    blocks,
    findings: all.filter((finding) => !told.has(finding.id)),
    absent: report.unmeasured.find((each) => each.section === id)?.reason ?? null,
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
        'What each user gets while the answer streams. Dotted, in the same colours: the most that memory and arithmetic allow.',
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
      intro: 'The gap from one token to the next. Up to the lower line a stream seems to be there at once.',
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
        'The share of the speed of a single user that each user keeps when several are served. The line at 100 % is the ideal: nothing is lost.',
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
      intro:
        'Between the best served scenario and the worst. A narrow band means that the length of the prompt matters little.',
      chart: rangeChart({ title: speedRange, mode, metric: 'user_tok_s' }, report.ranges, setting),
      says: ['peak_range'],
    },
    {
      id: 'peak-ttft',
      title: waitRange,
      term: 'ttft_ms',
      intro: 'How long users look at nothing. The prompt has to be read first, so long prompts wait longest.',
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
        'The chart to plan by: every request behind the first waits for others’ prompts. The line is the longest wait that users accept.',
      chart: chart(wait, burst.ttft_ms, [line('ttft_limit')]),
      says: ['burst_ttft'],
    },
    {
      id: 'burst-itl',
      title: gap,
      term: 'itl_ms',
      intro:
        'Once an answer has begun, how evenly it flows. Gaps level off where the engine admits no more sequences at a time.',
      chart: chart(gap, burst.itl_ms, [line('itl_fluid'), line('itl_sluggish')]),
      says: ['burst_itl'],
    },
    {
      id: 'burst-speed',
      title: speed,
      term: 'user_tok_s',
      intro: 'The same as a speed. It often holds up while the wait for the first token does not.',
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
      'All sequences together, prompts left out.',
      batch.decode_tok_s,
      ['batch_single', 'batch_decode'],
    ),
    block(
      'batch-output',
      'Output throughput by batch',
      'output_tok_s',
      'All sequences together, prompts included.',
      batch.output_tok_s,
      [],
    ),
    block(
      'batch-prefill',
      'Prefill speed by batch',
      'prefill_tok_s',
      'How fast prompts are read.',
      batch.prefill_tok_s,
      [],
    ),
    block(
      'batch-scaling',
      'Scaling efficiency',
      'scaling_efficiency',
      'What is left of a lone sequence’s speed.',
      batch.scaling_efficiency,
      ['batch_scaling'],
    ),
  ];
}

/** The sections of a report in their order. Those that were not measured say why, unless nothing at all is known. */
export function toReportSections(report: Report, setting: ChartSetting): ReportSection[] {
  const sections = [
    section(report, 'peak', peakCharts(report, setting)),
    section(report, 'burst', burstCharts(report, setting)),
    section(report, 'batch', batchCharts(report, setting)),
  ];
  return sections.every(({ absent }) => absent !== null) ? [] : sections;
}
