// What a matrix has beside what every drawing has; the Python side is matrix.py.

/** The cell that is explained, and the tables and drawings around it. */
interface Subject {
  drawing: Matrix; row: number; column: number; tables: Tables; drawings: Record<string, Matrix>;
}
type Rule = (made: Provenance) => Chip[];
/** What stands above the box of a column, and its number. */
type Parts = { above: (column: number) => string; value: (column: number) => number };
/** A number of an array. */
type At = [name: string, row: number, column: number];
/** How a table was made: `Table.provenance`, trace.py. */
interface Provenance {
  op: string; inputs: string[]; params: Params; labels: string[];
  changed?: number[]; rows?: Provenance[]; parts?: Provenance[]; also?: { inputs: string[]; labels: string[] };
}
/** What operations are given beside tables; see operations.py. */
interface Params {
  steps?: [sign: string, number: number | null][]; function?: string; transposed?: boolean; how?: string;
  rows: number[]; positions: number[]; base: number; d_model: number; first: number;
}
interface Matrix extends Drawing {
  rows: string[]; columns: string[]; axes: [string, string]; words: string[]; masked_text: string;
  size: string; editable: boolean; toggles: string; chooses: [control: string, value: unknown] | null;
  blank_zeros: boolean; longest: string; decimals: number; vmax: number; chosen: boolean; followed: number; opens: number;
  leads: boolean; row_pictures: string[]; column_pictures: string[]; faint: boolean; provenance: Provenance;
  cells: Painted[][]; heads: (HTMLElement & { light?: Table })[]; room: number; fits?: number; wordless: boolean; named?: string[];
}
/** A table's cell, and what it shows now. */
type Painted = HTMLTableCellElement & {
  x?: number; hides?: number; vmax?: number; look?: string; says?: string; tight?: string;
};
/**
 * A cell that is being edited: its text `was` needs no answer; while it `waits` for one, the
 * nudges that are `owed` add up; `end` says whether it is to close then: "", "stay" or "leave".
 */
interface Editing {
  place: Cell; td: HTMLElement; box: HTMLElement; input: HTMLInputElement; fault: HTMLElement;
  was: string | null; end: string; owed: number; waits: boolean; why: string;
}
interface Answer { type: string; turn: number; why?: string; text?: string }
