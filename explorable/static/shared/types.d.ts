// What Python tells the page, and what the page makes of it. Read by the type checker
// alone; the Python side is drawing.py. Each kind of drawing adds a file of its own.

interface Model {
  get(trait: string): any;
  set(trait: string, value: unknown): void;
  save_changes(): void;
  send(content: object): void;
  on(events: string, act: (...what: any[]) => void): void;
  off(events: string, act: (...what: any[]) => void): void;
  widget_manager?: Partial<WidgetManager>;
}
interface KernelSignal {
  connect(act: (sender: unknown, status: string) => void): void;
  disconnect(act: (sender: unknown, status: string) => void): void;
}
/** What a host may tell of its kernel; some tell nothing. */
interface Kernel {
  connectionStatus?: string;
  disposed?: KernelSignal; statusChanged?: KernelSignal; connectionStatusChanged?: KernelSignal;
}
/** JupyterLab's and Notebook's, which know the notebook that a widget stands in. */
interface WidgetManager {
  kernel?: Kernel | null; context: { model?: any };
  restored?: { connect(act: () => void): void }; restoredStatus?: boolean;
  has_model(id: string): boolean;
  get_model(id: string): Promise<any>;
}
/** What a cell shows, by type of content. */
interface Output { data: Record<string, any>; metadata: Record<string, any> }
interface SavedNotebook { metadata: Record<string, any>; cells: { outputs?: Output[] }[] }
interface Context { model: Model; el: HTMLElement; signal: AbortSignal }

type Attributes = Record<string, string | number | boolean>;
/** What an element has or holds: attributes, a text, a node, or nothing. */
type Content = Attributes | string | Node | null | undefined | false;

type Scale = [low: number, high: number];
type Point = [x: number, y: number];
/** Numbers by row and column; one row, or column, may stand for all of them. */
interface Table { rows: number; columns: number; at: Float64Array }
type InTable<T> = (table: Table, row: number, column: number) => T;
type StepTo = (key: string, at: number, n: number, back: string, forth: string) => number | null;
type Write = (x: number, digits: number) => string;
type Alike = (numbers: number[], least?: number) => Write;
type Worth = (x: number, row: number, column: number) => number;
type BestIn = (table: Table, size: [rows: number, columns: number], worth: Worth) => { row: number; column: number };
type WordOrNumber = (x: number, digits: number, words?: string[]) => string;
type Tables = Record<string, Table>;

/** A part of a drawing; null stands for all rows or columns. */
interface Spot { row: number | null; column: number | null; columns?: string[] }
interface Place extends Spot { panel: string }
interface Cell extends Place { row: number; column: number }
interface Shared extends Spot { shares: string }

/** One box of an explanation: what stands above, what below, the sign before it, its classes. */
type Chip = [above: string, below: string, sign?: string, look?: string];
/** A sentence with {names} in it; and the nodes that show the place, and what it was made of. */
interface Explained {
  sentence: string; names: Record<string, unknown>; chips?: Chip[]; hint: string;
  lit?: Element[]; operands?: HTMLElement[];
}

/** What every drawing has, and the nodes that its box gave it. */
interface Frame {
  name: string; title: string; palette: string; digits: number; step: number; shares: string; concludes: boolean;
}
interface Rect { left: number; right: number; top: number; bottom: number }
/** A drawing that is a table: where all of it is, and the table. */
/** Where a panel is, and in it the table, with its labels, and its cells. */
/** Where a table is, and of how many tables side by side it is made, if a line leads from each. */
interface Panel { box: Rect; table: Rect; cells: Rect; hue: string; parts: number }
/** A line: the gaps that it passes, and where it comes into each, and out of the last. */
interface Line {
  from: Panel; to: Panel; level: number | null; down: boolean; up: boolean;
  passed: number[]; xs: number[]; head: number;
}
/** An end of a line in a lane, up or down: where the line enters the lane, and the panel that this head points to. */
interface LaneEnd { x: number; above: boolean; from: number; to: Panel | null }
interface Lane { ends: LaneEnd[]; low: number; high: number; y: number }
interface Gap { taken: number[]; lanes: Map<string, Lane>; need: number }
interface Box { box: HTMLElement; head: HTMLElement; heading: HTMLElement; foot: HTMLElement }
interface Drawing extends Frame, Box {
  formula: string; sentence: string; note: string; sources: string[];
  tracked?: boolean; provenance?: { op: string; inputs: string[] }; plan: string; seen: unknown[];
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
  first?(frames: Frame[]): P | null;
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
  /** There is nobody to answer what was asked; why, in words. */
  unheard?(why: string): void;
  /** What of a frame's parts need not be as before. */
  plan?(key: string, x: any): unknown;
  /** The names of other drawings' arrays that it shows. */
  reads?(frame: any): string[];
}
interface View<D extends Drawing, P extends Place> {
  model: Model; root: HTMLElement; kernel: KernelWire; tables: Tables; drawings: Record<string, D>;
  /** The place that is pointed at, and the one that another drawing has in view. */
  focus: P | null; also: Shared | null;
  /** The place that is held in view, as long as it is drawn. */
  pinned(): P | null;
  pin(place: P | null): void;
  /** Hold a place, or let it go. */
  togglePin(place: P): void;
  /** Say anew what there is to say of the place in view. */
  explain(): void;
  /** A place is pointed at. */
  hover(place: P | null): void;
  /** Nothing is pointed at any more. */
  clear(): void;
  /** Give the focus to a place; Tab reaches it alone in its drawing. */
  go(place: P): void;
}
interface KernelWire {
  /** What is wrong, in words: as far as the host knows, and in all. */
  known(): string;
  trouble(): string;
  /** Whether what is sent will be answered. */
  alive(): boolean;
  /** Send, and whether that could be done; or try it in any case. */
  send(content: object): boolean;
  tell(content: object): void;
}
