import type { Parameter } from './board-query.ts';
import type { Option } from './filter-view.ts';

/** A form of lists that makes a page's address, filled in with what this one's says. */
export interface SelectForm {
  selects: { name: string; label: string; groups: { title: string | null; options: Option[] }[] }[];
  /** What the address says and the form has no field for. */
  hidden: readonly Parameter[];
}
