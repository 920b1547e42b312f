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
interface Context { model: Model; el: HTMLElement }

/** Numbers by row and column; one row, or column, may stand for all of them. */
interface Table { rows: number; columns: number; at: Float64Array }
type WordOrNumber = (x: number, digits: number, words?: string[]) => string;
type Tables = Record<string, Table>;

/** A part of a drawing; null stands for all rows or columns. */
interface Spot { row: number | null; column: number | null }
interface Place extends Spot { panel: string }
interface Cell extends Place { row: number; column: number }
interface Shared extends Spot { shares: string }

/** One box of an explanation: what stands above, what below, its classes. */
type Chip = [above: string, below: string, look?: string];
interface Explained { sentence: string; names: Record<string, unknown>; chips?: Chip[]; hint: string }

/** What every drawing has, and the nodes that its box gave it. */
interface Frame {
  name: string; title: string; palette: string; digits: number; step: number; shares: string;
}
interface Box { box: HTMLElement; head: HTMLElement; heading: HTMLElement; foot: HTMLElement }
interface Drawing extends Frame, Box {
  formula: string; sentence: string; note: string; stop?: HTMLElement; planned?: string;
}

/** What a kind of view does, for view.js to call. */
interface Kind<D extends Drawing, P extends Place> {
  /** Make the nodes of a drawing, once for its frame; gives what it must keep. */
  build(frame: any, box: Box): object;
  /** Show its numbers as they are now, in place. */
  update(drawing: D, frame: any): void;
  /** The node that has the focus there, if that place is drawn. */
  nodeAt(place: P): HTMLElement | undefined;
  /** The place that a node of the picture belongs to. */
  placeOf(node: HTMLElement): P | null;
  /** The place in view before any is pointed at. */
  first?(): P | null;
  explain(drawing: D, place: P | null): Explained;
  /** Where a key leads. */
  step(place: P, key: string): P | null;
  /** The nodes that show a place, its own first, where that is not nodeAt alone. */
  lit?(place: P): (HTMLElement | undefined)[];
  /** The rows and columns that drawings which share the place show as well. */
  shared?(place: P): Spot;
  /** The nodes of a drawing that show another drawing's place. */
  sharing?(drawing: D, shared: Shared): HTMLElement | HTMLElement[];
  /** What else to do when that is another view's. */
  heard?(shared: Shared): void;
  /** What else a key, or a click, does there: true where that is all. */
  key?(event: KeyboardEvent, place: P): boolean;
  click?(event: MouseEvent, place: P | null): boolean;
  /** What of a frame's parts need not be as before; what to forget then, and at the end. */
  plan?(key: string, x: any): unknown;
  cleared?(): void;
  stop?(): void;
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
  /** Mark a node until the place in view changes. */
  mark(node: HTMLElement | undefined, name: string): void;
}
interface KernelWire { send(content: object): boolean; alive(): boolean; stop(): void }

// ── the kinds of drawing ──────────────────────────────────────────────────────
/** The cell that is explained, the tables and drawings around it, and what it was made of. */
interface Subject {
  drawing: Matrix; row: number; column: number; tables: Tables; drawings: Record<string, Matrix>;
  operands: HTMLElement[];
}
type Rule = (cell: Subject, made: Made) => Chip[];
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
  limit: number; chosen: boolean; made: Made; tracked: boolean;
  cells: Painted[][]; heads: HTMLElement[]; room: number; wordless: boolean; labelled?: string[];
}
/** A table's cell, and what it shows now. */
type Painted = HTMLTableCellElement & {
  x?: number; hides?: number; limit?: number; step?: string; signs?: string; says?: string; tight?: string;
};
/**
 * A cell that is being edited: its text `was` needs no answer; `then` was asked last
 * ("stay", "leave" or "nudge"), `after` comes when the nudges that are `owed` are answered.
 */
interface Editing {
  place: Cell; td: HTMLElement; box: HTMLElement; input: HTMLInputElement; fault: HTMLElement;
  was: string | null; then: string; after: string; owed: number; why: string;
}
interface Answer { type: string; turn: number; why?: string; text?: string }
interface Links extends Drawing {
  rows: string[]; columns: string[]; axes: [string, string]; back: string; all_of_it: string;
  arcs: boolean; chosen: number;
  body: HTMLElement; picture: SVGElement; ribbons: Ribbon[][]; queries: End[]; keys: End[];
}
type Ribbon = SVGElement & { level?: number };
interface End { line: HTMLElement; button: HTMLElement; weight: HTMLElement }
interface Tiles extends Drawing {
  faces: [string, string][]; sayings: string[]; marks: [number, number, string][]; board: [number, number];
  corners: Point[]; sets: string; totals: number[];
  plate: HTMLElement; tiles: Tile[]; labels: HTMLElement[]; order: number[];
}
type Tile = HTMLElement & { look?: string };
interface Bars extends Drawing {
  count: number; series: string[]; hues: string[]; measure: string; roomy: boolean; room: number;
  labels: string[]; scale: [number, number]; ticks: [number, string][]; guide: [number, string] | [];
  bars: Bar[][]; heads: HTMLElement[]; frame: HTMLElement; back: HTMLElement; every: number; scaled?: string;
}
type Bar = HTMLElement & { state?: string };
interface Curves extends Drawing {
  shape: "lines" | "plane"; x: number[]; x_digits: number; doubling?: boolean; axes: [string, string]; marks: [number, string][];
  series: string[]; styles: CurveStyle[]; limits: [Scale, Scale]; ticks: [number, string][][];
  wide: number; high: number; room: number; side: number; reach: number; hues: string[]; arrows: string[];
  chart: HTMLElement; drawn: Chart; row: number | null;
}
type Attributes = Record<string, string | number>;
type Scale = [low: number, high: number];
type Point = [x: number, y: number];
interface CurveStyle { hue: string; look: string; dashes: string; marker: string }
interface Chart {
  node: SVGSVGElement;
  update(now: Curves, at: Float64Array, tables: Tables): void;
  look(row: number | null): void;
  rowAt(x: number, y: number): number;
}
