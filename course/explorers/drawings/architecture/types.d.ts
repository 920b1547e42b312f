// What an architecture has beside what every drawing has; the Python side is
// architecture.py, and plan.py for what stands where.

type PlannedBox = [x: number, y: number, wide: number, high: number, words: string, hue: string];
type PlannedWire = [points: Point[], hue: string, tip: boolean];
interface Architecture extends Drawing {
  layout: [
    size: Point, boxes: PlannedBox[], wires: PlannedWire[],
    frames: [x: number, y: number, wide: number, high: number][], spots: [x: number, y: number, room: number, lines: number][],
    inside: [x: number, y: number, wide: number],
  ];
  steps: [first: number, last: number][]; ends: string[]; lit: number; inside: [words: string, hue: string][];
  now: number; what: string; marked: number[]; changed: number[]; signs: HTMLElement[]; token: string; first: number; vmax: number;
  boxes: HTMLElement[]; strips: HTMLElement[]; words: HTMLElement[]; steps_of: HTMLElement; name_of: HTMLElement; what_of: HTMLElement;
}
