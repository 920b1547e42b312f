// What bars have beside what every drawing has; the Python side is bars.py.

interface Bars extends Drawing {
  count: number; series: string[]; hues: string[]; fills: number[]; measure: string;
  blank_zeros: boolean; dots: boolean; roomy: boolean; rest: boolean; room: number; wide: number;
  labels: string[]; scale: [number, number]; ticks: [number, string][]; guide: [number, string] | [];
  masked_text: string; clickable: boolean[]; faint: boolean[]; ghosts: number[]; opens: [number, number] | [];
  rows: { head: HTMLElement; bars: Bar[]; join: HTMLElement; line: HTMLElement }[]; frame: HTMLElement; back: HTMLElement; every: number;
}
interface Bar { bar: HTMLElement; ghost: HTMLElement; fill: HTMLElement; end: HTMLElement }
