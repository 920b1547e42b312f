// What curves have beside what every drawing has; the Python side is curves.py.

interface Curves extends Drawing {
  shape: "lines" | "plane"; x: number[]; doubling?: boolean; logarithmic?: boolean;
  axes: [string, string]; marks: [number, string][];
  series: string[]; styles: CurveStyle[]; limits: [Scale, Scale]; ticks: [number, string][][];
  wide: number; high: number; room: number; side: number; reach: number; hues: string[]; arrows: string[];
  chart: HTMLElement; drawn: Chart; row: number | null; end: number | null; marked?: [number, string];
}
interface CurveStyle { hue: string; look: string; dashes: string; marker: string }
interface Chart {
  node: SVGSVGElement;
  update(now: Curves, at: Float64Array, tables: Tables): void;
  look(row: number | null): void;
  resize(wide: number, high: number): void;
  rowAt(x: number, y: number): number;
}
