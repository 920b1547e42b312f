// Where lines run between tables that stand in rows: from the foot of one down into the
// gap below its row, along a lane of that gap, and down to the head of another. A line that
// stays in its row goes below it and up again, unless the two stand next to each other.
// Nothing is measured here: places come in, and points go out.

// Pixels: from a head to its table; of a line before its head, and after its start; between
// lanes, between the ends of lines, and from a line to what it passes.
const [TIP, RUN, STUB, LANE, APART, CLEAR] = [3, 13, 7, 5, 11, 5];
// What it costs to cross a line, a head, a head beside one's own, or to lie on a line.
const [CROSSED, SPOILED, CONFUSED, SHARED] = [4, 12, 40, 60];

const middle = (/** @type {Rect} */ { left, right }) => (left + right) / 2;
const isBeside = (/** @type {Rect} */ a, /** @type {Rect} */ b) => a.top < b.bottom && b.top < a.bottom;
/** @template T @param {T[]} all @param {(one: T) => string} key */
const grouped = (all, key) => [...new Set(all.map(key))].map((of) => all.filter((one) => key(one) === of));

/** Panels in rows, from top to bottom and from left to right. @param {Panel[]} panels */
export function rowsOf(panels) {
  const rows = /** @type {Panel[][]} */ ([]);
  for (const panel of panels.toSorted((a, b) => a.box.top - b.box.top)) {
    const row = rows.at(-1);
    if (row?.some(({ box }) => isBeside(box, panel.box))) row.push(panel);
    else rows.push([panel]);
  }
  for (const row of rows) row.sort((a, b) => a.box.left - b.box.left);
  return rows;
}

/** Where lines may pass a row: between its panels, or beside them all. @param {Panel[]} row @returns {Scale[]} */
function waysPast(row) {
  const ends = [-Infinity, ...row.map(({ box }) => box.right + CLEAR)];
  const free = ends.map((low, k) => /** @type {Scale} */ ([low, (row[k]?.box.left ?? Infinity) - CLEAR]));
  return free.filter(([low, high]) => low <= high);
}

/** What lies in ranges of both. @param {Scale[]} all @param {Scale[]} others @returns {Scale[]} */
const inBoth = (all, others) => all.flatMap(([low, high]) => others.map(([from, to]) => (
  /** @type {Scale} */ ([Math.max(low, from), Math.min(high, to)])))).filter(([low, high]) => low <= high);

/**
 * The place nearest to one that is wanted: within a range, and far enough from what is taken.
 * @param {number} wanted @param {Scale[]} ranges @param {number[]} taken @param {number} apart
 */
function freePlace(wanted, ranges, taken, apart) {
  const far = (/** @type {number} */ x) => Math.abs(x - wanted);
  const within = (/** @type {number} */ x) => ranges.some(([low, high]) => low <= x && x <= high);
  const isFree = (/** @type {number} */ x) => within(x) && taken.every((t) => Math.abs(t - x) > apart - 0.01);
  // To the right first: what leads up to a foot comes from the left.
  const all = [wanted, ...ranges.flat(), ...taken.flatMap((t) => [t + apart, t - apart])];
  all.sort((a, b) => far(a) - far(b));
  return all.find(isFree) ?? all.find(within) ?? wanted;
}

/**
 * The way of each line, and how much room each gap below a row needs for its lanes.
 * @param {Panel[]} panels @param {[from: Panel, to: Panel][]} links
 * @returns {{ ways: Point[][], rows: Panel[][], needs: number[] }}
 */
export function makeRoutes(panels, links) {
  const rows = rowsOf(panels);
  const rowOf = new Map(rows.flatMap((row, n) => row.map((panel) => [panel, n])));
  const foot = rows.map((row) => Math.max(...row.map(({ box }) => box.bottom)));
  const gaps = /** @type {Gap[]} */ (rows.map(() => ({ taken: [], lanes: new Map(), need: 0 })));

  /** The height at which a line leads on to what stands next, if it may. @param {Panel} from @param {Panel} to */
  function heightBetween(from, to) {
    const row = rows[rowOf.get(from) ?? 0];
    if (row[row.indexOf(from) + 1] !== to || to.box.left < from.box.right) return null;
    const [top, bottom] = [Math.max(from.cells.top, to.cells.top), Math.min(from.cells.bottom, to.cells.bottom)];
    return top < bottom ? (top + bottom) / 2 : null;
  }

  const lines = links.map(([from, to]) => {
    const [first, last] = [from, to].map((panel) => rowOf.get(panel) ?? 0);
    const down = last > first;
    const count = down ? last - first : first - last + Number(last === first);
    const start = last < first ? first - 1 : first;
    const passed = Array.from({ length: count }, (_, n) => (down ? start + n : start - n));
    const level = heightBetween(from, to);
    return /** @type {Line} */ ({ from, to, level, down, up: last < first, passed, xs: [], head: 0 });
  });
  const keyOf = (/** @type {Line} */ { from, up }) => `${panels.indexOf(from)} ${up}`;
  const bent = lines.filter(({ level }) => level === null);

  /** The rows that a line passes. @param {Line} line */
  const rowsPassed = ({ passed, down }) => passed.slice(1).map((gap) => rows[down ? gap : gap + 1]);
  /** About where a line, or the first that shares its way, comes from into its last gap. @param {Line} line */
  const comesFrom = (line) => {
    const row = rowsPassed(line).at(-1);
    if (!row) return middle(line.from.cells);
    const passing = bent.filter((one) => rowsPassed(one).includes(row));
    const firsts = passing.filter((one, n) => passing.findIndex(({ from }) => from === one.from) === n);
    const places = /** @type {number[]} */ ([]);
    for (const { from, to } of firsts) {
      places.push(freePlace(middle(to.cells), waysPast(row), places, CLEAR));
      if (from === line.from) break;
    }
    return places.at(-1) ?? 0;
  };

  // Heads: each above its own part of the cells, or spread about their middle in the order in which lines come.
  for (const all of grouped(bent, ({ to, down }) => `${panels.indexOf(to)} ${down}`)) {
    const { to, passed } = all[0];
    const wide = to.cells.right - to.cells.left;
    const inParts = all.length === to.parts;
    const step = inParts ? wide / to.parts : Math.min(APART, wide / (all.length + 1));
    if (!inParts) all.sort((a, b) => comesFrom(a) - comesFrom(b));
    all.forEach((line, n) => {
      line.head = middle(to.cells) + (n - (all.length - 1) / 2) * step;
      gaps[passed.at(-1) ?? 0].taken.push(line.head);
    });
  }
  // Starts: one for all lines that leave an edge, straight above a head if it can.
  for (const all of grouped(bent, keyOf)) {
    const [{ from: { cells }, passed: [gap] }] = all;
    const range = /** @type {Scale} */ ([cells.left + CLEAR, cells.right - CLEAR]);
    const center = middle(cells);
    const { taken } = gaps[gap];
    const isStraight = (/** @type {number} */ x) => (
      range[0] <= x && x <= range[1] && taken.every((t) => t === x || Math.abs(t - x) > APART - 0.01));
    const heads = all.filter(({ down, passed }) => down && passed.length === 1).map(({ head }) => head);
    const straight = heads.filter(isStraight).sort((a, b) => Math.abs(a - center) - Math.abs(b - center));
    const x = straight[0] ?? freePlace(center, [range], taken, APART);
    taken.push(x);
    for (const line of all) line.xs = [x];
  }
  // Columns: between the panels of a row that a line passes, or beside them all, and one for
  // all rows unless that leads a longer way round.
  for (const line of bent) {
    const far = (/** @type {number} */ x) => Math.abs(x - line.head);
    const ranges = rowsPassed(line).map(waysPast);
    const taken = line.passed.flatMap((gap) => gaps[gap].taken);
    const places = ranges.map((free) => freePlace(line.head, free, taken, CLEAR));
    const straight = ranges.length && freePlace(line.head, ranges.reduce(inBoth), taken, CLEAR);
    const isStraight = far(straight) < Math.max(...places.map(far)) + 1;
    places.forEach((place, n) => {
      const around = line.passed.slice(n, n + 2);
      const same = lines.find(({ from, passed, xs }) => (
        from === line.from && passed[n + 1] === around[1] && xs.length > n + 1));
      const x = same?.xs[n + 1] ?? (isStraight ? straight : place);
      line.xs.push(x);
      if (!same) for (const gap of around) gaps[gap].taken.push(x);
    });
    line.xs.push(line.head);
  }
  // Lanes: one for all lines from a panel.
  for (const line of bent) {
    line.passed.forEach((gap, n) => {
      const [x, next] = line.xs.slice(n);
      const { lanes } = gaps[gap];
      const lane = lanes.get(keyOf(line)) ?? { ends: [], low: Infinity, high: -Infinity, y: 0 };
      lanes.set(keyOf(line), lane);
      const isLast = n === line.passed.length - 1;
      const to = isLast ? line.to : null;
      lane.ends.push({ x, above: !line.up, from: x, to: null }, { x: next, above: !line.down, from: x, to });
      [lane.low, lane.high] = [Math.min(lane.low, x, next), Math.max(lane.high, x, next)];
    });
  }
  for (const gap of gaps) gap.need = placeLanes([...gap.lanes.values()].filter(({ low, high }) => high - low > 0.5));

  const ways = lines.map((line) => {
    const { from, to, level, down, up, passed, xs } = line;
    if (level !== null) return /** @type {Point[]} */ ([[from.table.right + 2, level], [to.table.left - TIP, level]]);
    const points = /** @type {Point[]} */ ([[xs[0], up ? from.box.top - 2 : from.box.bottom + 2]]);
    passed.forEach((gap, n) => {
      const { need, lanes } = gaps[gap];
      const below = rows[gap + 1];
      const room = below ? Math.min(...below.map(({ box }) => box.top)) - foot[gap] : need;
      const y = foot[gap] + (lanes.get(keyOf(line))?.y ?? 0) * Math.min(1, room / (need || 1));
      if (Math.abs(xs[n] - xs[n + 1]) > 0.5) points.push([xs[n], y], [xs[n + 1], y]);
    });
    return [...points, /** @type {Point} */ ([line.head, down ? to.box.top - TIP : to.box.bottom + TIP])];
  });
  return { ways, rows, needs: gaps.map(({ need }) => need) };
}

/** Give lanes their places in a gap, and say how high it must be. @param {Lane[]} lanes */
function placeLanes(lanes) {
  let order = /** @type {Lane[]} */ ([]);
  for (const lane of [...lanes, ...lanes]) { // each finds its best place, and then once more among all
    const others = order.filter((one) => one !== lane);
    const ways = Array.from({ length: others.length + 1 }, (_, n) => others.toSpliced(n, 0, lane));
    const costs = ways.map((way) => stack(way) + troubleIn(way));
    order = ways[costs.indexOf(Math.min(...costs))];
  }
  return stack(order);
}

/** Stack lanes in this order; those that never meet share a height. @param {Lane[]} order @returns {number} */
function stack(order) {
  let need = 0;
  order.forEach((lane, n) => {
    const least = (/** @type {boolean} */ above) => Math.max(...lane.ends.map((end) => (
      end.above !== above ? 0 : end.to ? RUN + TIP : STUB)));
    const over = order.slice(0, n).filter(({ low, high }) => low - APART < lane.high && high + APART > lane.low);
    lane.y = Math.max(STUB, least(true), ...over.map(({ y }) => y + LANE));
    need = Math.max(need, lane.y + Math.max(STUB, least(false)));
  });
  return need;
}

/** How much lines cross each other, lie on each other, or run past heads. @param {Lane[]} order */
function troubleIn(order) {
  let trouble = 0;
  for (const one of order) {
    for (const { x, above, to } of one.ends) {
      for (const other of order.filter(({ y }) => (above ? y < one.y : y > one.y))) {
        const isBetween = (/** @type {LaneEnd} */ { x: a, from: b }) => Math.min(a, b) < x && x < Math.max(a, b);
        if (to && other.ends.some((end) => end.to === to && isBetween(end))) trouble += CONFUSED;
        if (other.low < x && x < other.high) trouble += to ? SPOILED : CROSSED;
        if (other.ends.some((end) => end.above !== above && Math.abs(end.x - x) < CLEAR)) trouble += SHARED;
      }
    }
  }
  return trouble;
}
