import { isCutFigure } from '../reading/figures/cut-figure.ts';
import { toKey } from '../reading/figures/label-key.ts';
import type { ArtifactText } from '../reading/text/artifact-text.ts';
import { cachedPerArtifact } from '../reading/text/cached-per-artifact.ts';

/** A line `label: value` of a section. */
export interface SectionRow {
  line: number;
  label: string;
  /** Lower case, with single spaces. */
  key: string;
  value: string;
}

/** The lines under one heading, between two rules. Lines are 1-based and inclusive. */
export interface Section {
  from: number;
  to: number;
  /** "PERFORMANCE OVERVIEW". */
  name: string;
  rows: SectionRow[];
  /** Lines other than `label: value`, such as the GPU under MACHINE DETAILS. */
  others: string[];
  /** Whether a rule follows it: its own, or that of the next section. */
  isClosed: boolean;
}

/** The sections of one run, in order. */
export interface SectionReport {
  from: number;
  to: number;
  /** False if the closing rule is missing because the paste was truncated. */
  isClosed: boolean;
  sections: Section[];
}

const rule = /^\s*={40,200}\s*$/;
const heading = /^\s*= ([A-Z][A-Z +]{2,40}[A-Z](?: \([^()]{0,60}\))?)\s*$/;
const labelled = /^\s{0,8}((?:\[[A-Za-z]{2,10}\] )?[A-Za-z][^:\t]{0,80}?)\s{0,40}:\s{0,80}(\S.{0,200}?)?\s*$/;
/** Speeds and times are printed with four decimals. */
const timed = /\((?:ms|[a-z]+\/sec)\)$|^\[/;
/** Maximum length of a section; the longest known one has about thirty lines. */
const maxLines = 120;
/** Lines without a label that may occur in a section: subheadings and the column names of a table. */
const unlabelled = /^\s*(?:-{2}|Input\s+Output)/;
const logLine = /^\s*(?:\[\d\d\/\d\d\/\d{4}|\[TensorRT-LLM\]|\d{4}-\d\d-\d\d )/;

/**
 * Reads the section whose heading is at a line. It ends at its closing rule, at the rule of the next section, or at a log
 * line.
 */
function readSection(artifact: ArtifactText, at: number, name: string): Section {
  const section: Section = { from: at - 1, to: at + 1, name, rows: [], others: [], isClosed: false };
  const end = Math.min(artifact.lines.length, at + 1 + maxLines);
  for (let line = at + 2; line <= end; line++) {
    const text = artifact.lineAt(line);
    if (rule.test(text)) {
      section.isClosed = true;
      if (!heading.test(artifact.lineAt(line + 1))) section.to = line;
      break;
    }
    if (text.trim() === '') continue;
    const found = logLine.test(text) ? null : labelled.exec(text);
    if (found === null && !unlabelled.test(text) && name !== 'MACHINE DETAILS') break;
    const label = (found?.[1] ?? '').trim();
    if (found === null) section.others.push(text.trim().slice(0, 200));
    else section.rows.push({ line, label, key: toKey(label), value: found[2] ?? '' });
    section.to = line;
  }
  const last = section.rows.at(-1);
  if (!section.isClosed && last !== undefined && timed.test(last.label) && isCutFigure(last.value, 4)) last.value = '';
  return section;
}

function findSections(artifact: ArtifactText): Section[] {
  if (!artifact.has('OVERVIEW')) return [];
  const sections: Section[] = [];
  let after = 1;
  for (const line of artifact.linesWith('= ')) {
    const name = line > after ? heading.exec(artifact.lineAt(line))?.[1] : undefined;
    if (name === undefined || !rule.test(artifact.lineAt(line - 1)) || !rule.test(artifact.lineAt(line + 1))) continue;
    const section = readSection(artifact, line, name);
    sections.push(section);
    after = section.to - 1;
  }
  return sections;
}

const isOverview = (name: string) => name === 'PERFORMANCE OVERVIEW' || name === 'THROUGHPUT OVERVIEW';
/** Sections that may follow the figures of a run. Any other section begins the next run. */
const trailing =
  /^(?:LATENCY OVERVIEW|DATASET DETAILS|DECODING STATISTICS|GENERATION LATENCY|ACCEPTANCE BREAKDOWN|KV CACHE)/;
/** Known headings. Other programs underline theirs as well. */
const ours =
  /^(?:ENGINE DETAILS|[A-Z]+ BACKEND|MACHINE DETAILS|WORLD \+ RUNTIME INFORMATION|REQUEST DETAILS|GENERAL OVERVIEW|PERFORMANCE OVERVIEW|THROUGHPUT OVERVIEW|LATENCY OVERVIEW|DATASET DETAILS|DECODING STATISTICS(?: \(.*\))?|GENERATION LATENCY BREAKDOWN|ACCEPTANCE BREAKDOWN)$/;

/**
 * The reports of an artifact: sections up to and including the overview with the figures, and the sections after it.
 * Sections without an overview, such as the data set printed before a run, are not a report.
 */
export const findSectionReports = cachedPerArtifact((artifact): SectionReport[] => {
  const groups: Section[][] = [];
  let current: Section[] = [];
  for (const section of findSections(artifact)) {
    if (!ours.test(section.name)) continue;
    const isRepeated = current.some(({ name }) => name === section.name);
    const isNext = current.some(({ name }) => isOverview(name)) && !trailing.test(section.name);
    if (isRepeated || isNext) {
      groups.push(current);
      current = [];
    }
    // A data set printed before the figures is repeated after them.
    if (section.name !== 'DATASET DETAILS' || current.some(({ name }) => isOverview(name))) current.push(section);
  }
  groups.push(current);
  const reports = groups
    .filter((sections) => sections.some(({ name }) => isOverview(name)))
    .map((sections): SectionReport => {
      const last = sections.at(-1);
      return { from: sections[0]?.from ?? 1, to: last?.to ?? 1, isClosed: last?.isClosed ?? false, sections };
    });
  return reports;
});
