// What tiles have beside what every drawing has; the Python side is tiles.py.

interface Tiles extends Drawing {
  faces: [string, string][]; sayings: string[]; marks: [number, number, string][]; board: [number, number];
  corners: Point[]; sets: string; totals: number[]; running: boolean; tile: Point;
  wide: number[]; later: number; listed: boolean; opens: number; clickable: boolean[];
  plate: HTMLElement; tiles: HTMLElement[]; pulls: Element[]; labels: HTMLElement; says: HTMLElement; order: number[];
}
