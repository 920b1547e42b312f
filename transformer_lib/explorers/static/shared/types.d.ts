// What Python tells the page, and what the page makes of it. Read by the type checker
// alone; the Python side is drawing.py and the file of each kind of drawing.

interface Model {
  get(trait: string): any;
  set(trait: string, value: unknown): void;
  save_changes(): void;
  send(content: object): void;
  on(events: string, act: (...what: any[]) => void): void;
  off(events: string, act: (...what: any[]) => void): void;
  widget_manager?: { kernel?: Kernel | null };
}
interface Kernel {
  disposed?: { connect(act: () => void): void; disconnect(act: () => void): void };
}
interface Context { model: Model; el: HTMLElement; signal: AbortSignal }

type Attributes = Record<string, string | number | boolean>;
/** What an element has or holds: attributes, a text, a node, or nothing. */
type Part = Attributes | string | Node | null | undefined | false;

/** Numbers by row and column; one row, or column, may stand for all of them. */
interface Table { rows: number; columns: number; at: Float64Array }
type InTable<T> = (table: Table, row: number, column: number) => T;
type StepTo = (key: string, at: number, n: number, back: string, forth: string) => number | null;
type WordOrNumber = (x: number, digits: number, words?: string[]) => string;
type Tables = Record<string, Table>;

/** A part of a drawing; null stands for all rows or columns. */
interface Spot { row: number | null; column: number | null }
interface Place extends Spot { panel: string }
interface Cell extends Place { row: number; column: number }
interface Shared extends Spot { shares: string }

/** One box of an explanation: what stands above, what below, the sign before it, its classes. */
type Chip = [above: string, below: string, sign?: string, look?: string];
/** A sentence with {names} in it; and the nodes that show the place, and what it was made of. */
interface Explained {
  sentence: string; names: Record<string, unknown>; chips?: Chip[]; hint: string;
  lit?: HTMLElement[]; operands?: HTMLElement[];
}

/** What every drawing has, and the nodes that its box gave it. */
interface Frame {
  name: string; title: string; palette: string; digits: number; step: number; shares: string;
}
interface Box { box: HTMLElement; head: HTMLElement; heading: HTMLElement; foot: HTMLElement }
interface Drawing extends Frame, Box {
  formula: string; sentence: string; note: string; tracked?: boolean; plan: string; seen: unknown[];
}

/** What a kind of view does, for view.js to call. */
interface Kind<D extends Drawing, P extends Place> {
  /** Make the nodes of a drawing, once for its frame; gives what it must keep. */
  build(frame: any, box: Box): object;
  /** Show its numbers as they are now, in place. */
  update(drawing: D): void;
  /** The node that shows a place, where that does not bear it. */
  nodeAt?(drawing: D, place: P): HTMLElement | null;
  /** The place in view before any is pointed at. */
  first?(frames: Frame[]): P;
  explain(drawing: D, place: P | null): Explained;
  /** Where a key leads. */
  step(place: P, key: string): P | null;
  /** The rows and columns that drawings which share the place show as well. */
  shared?(place: P): Spot;
  /** The nodes of a drawing that show another drawing's place. */
  sharing?(drawing: D, spot: Spot): HTMLElement | HTMLElement[];
  /** What else to do when that is another view's. */
  heard?(shared: Shared): void;
  /** What else a key, or a click, does there: true where that is all. */
  key?(event: KeyboardEvent, place: P): boolean;
  click?(event: MouseEvent, place: P | null): boolean;
  /** What of a frame's parts need not be as before. */
  plan?(key: string, x: any): unknown;
}
interface View<D extends Drawing, P extends Place> {
  model: Model; root: HTMLElement; kernel: KernelWire; tables: Tables; drawings: Record<string, D>;
  /** The place that is pointed at, and the one that another drawing has in view. */
  focus: P | null; also: Shared | null;
  /** The place that is held in view, as long as it is drawn. */
  pin(): P | null;
  hold(place: P | null): void;
  /** Hold a place, or let it go. */
  turn(place: P): void;
  /** A place is pointed at. */
  look(place: P | null): void;
  /** Nothing is pointed at any more. */
  rest(): void;
  /** Give the focus to a place; Tab reaches it alone in its drawing. */
  go(place: P): void;
}
interface KernelWire { send(content: object): boolean; alive(): boolean }

// ── the kinds of drawing ──────────────────────────────────────────────────────
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
  divisors: string; texts: string[]; made: Made[];
}
interface Matrix extends Drawing {
  rows: string[]; columns: string[]; axes: [string, string]; words: string[]; veil: string;
  size: string; editable: boolean; toggles: string; chooses: [control: string, value: unknown] | null;
  limit: number; chosen: boolean; made: Made;
  cells: Painted[][]; heads: HTMLElement[]; room: number; wordless: boolean; named?: string[];
}
/** A table's cell, and what it shows now. */
type Painted = HTMLTableCellElement & {
  x?: number; hides?: number; limit?: number; look?: string; says?: string; tight?: string;
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
interface Links extends Drawing {
  rows: string[]; columns: string[]; axes: [string, string]; back: string; all_of_it: string;
  arcs: boolean; chosen: number;
  body: HTMLElement; picture: SVGElement; ribbons: SVGElement[][]; queries: End[]; keys: End[];
}
interface End { line: HTMLElement; weight: HTMLElement }
interface Tiles extends Drawing {
  faces: [string, string][]; sayings: string[]; marks: [number, number, string][]; board: [number, number];
  corners: Point[]; sets: string; totals: number[];
  plate: HTMLElement; tiles: HTMLElement[]; labels: HTMLElement; order: number[];
}
interface Bars extends Drawing {
  count: number; series: string[]; hues: string[]; measure: string; roomy: boolean; room: number;
  labels: string[]; scale: [number, number]; ticks: [number, string][]; guide: [number, string] | [];
  rows: { head: HTMLElement; bars: Bar[] }[]; frame: HTMLElement; back: HTMLElement; every: number;
}
interface Bar { bar: HTMLElement; fill: HTMLElement; end: HTMLElement }
interface Curves extends Drawing {
  shape: "lines" | "plane"; x: number[]; doubling?: boolean; axes: [string, string]; marks: [number, string][];
  series: string[]; styles: CurveStyle[]; limits: [Scale, Scale]; ticks: [number, string][][];
  wide: number; high: number; room: number; side: number; reach: number; hues: string[]; arrows: string[];
  chart: HTMLElement; drawn: Chart; row: number | null;
}
type Scale = [low: number, high: number];
type Point = [x: number, y: number];
interface CurveStyle { hue: string; look: string; dashes: string; marker: string }
interface Chart {
  node: SVGSVGElement;
  update(now: Curves, at: Float64Array, tables: Tables): void;
  look(row: number | null): void;
  rowAt(x: number, y: number): number;
}
