// What a matrix has beside what every drawing has; the Python side is matrix.py.

/** The cell that is explained, and the tables and drawings around it. */
interface Subject {
  drawing: Matrix; row: number; column: number; tables: Tables; drawings: Record<string, Matrix>;
}
type Rule = (made: Made) => Chip[];
/** What stands above the box of a column. */
type Above = (column: number) => string;
/** A number of an array. */
type At = [name: string, row: number, column: number];
interface Made {
  op: string; of: string[]; lead: string; leads: string[]; steps: [string, number][];
  parts: string; total: string; shift: string; open: string; plus: number;
  divisors: string; texts: string[]; positions?: (string | number)[]; odd?: number; made: Made[]; said: string;
}
interface Matrix extends Drawing {
  rows: string[]; columns: string[]; axes: [string, string]; words: string[]; masked_text: string;
  size: string; editable: boolean; toggles: string; chooses: [control: string, value: unknown] | null;
  vmax: number; chosen: boolean; followed: number; leads: boolean; made: Made;
  cells: Painted[][]; heads: HTMLElement[]; room: number; fits?: number; wordless: boolean; named?: string[];
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
