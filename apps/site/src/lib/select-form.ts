import type { Parameter } from '../features/board/data/board-query.ts';
import type { Option } from './filter-view.ts';

/** A form of select fields, filled in from the page's URL. */
export interface SelectForm {
  selects: { name: string; label: string; groups: { title: string | null; options: Option[] }[] }[];
  /** Parameters of the URL without a form field. */
  hidden: readonly Parameter[];
}
