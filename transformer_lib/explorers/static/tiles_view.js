// TilesView: numbered tiles that glide to where Python puts them.
//
// Traits: those of View in views.py; what is drawn is in Tiles, tiles.py. Tile n is the
// same number on every board, so the tile in view is marked on all of them. A place is
// {panel, row: n, column: 0}. Nothing is computed here.

function render({ model, el }) {
  const stage = makeStage(model, el);
  const { root, picture } = stage;
  let drawn = null, boards = {}, focus = null;
  const held = makePin(model, ({ panel, row }) => boards[panel]?.tiles[row], () => {});

  function build() {
    boards = {};
    drawn = JSON.stringify(model.get("panels"));
    focus = null;
    buildGroups(model, picture, buildBoard);
  }

  function buildBoard(p) {
    const { box, formula, note } = makeBox(p);
    const board = make("div", "tl-board");
    board.setAttribute("role", "group");
    board.setAttribute("aria-label", p.title);
    const tiles = p.faces.map(([above, below], n) => {
      const tile = make("button", "tl-tile");
      tile.type = "button";
      tile.append(make("small", "", above), make("b", "", below));
      tile.title = `${above} ${below}`;
      Object.assign(tile.dataset, { panel: p.name, n });
      return tile;
    });
    board.append(...tiles);
    note.before(board);
    boards[p.name] = { ...p, plate: board, tiles, marks: [], labels: [], order: [], heading: formula, foot: note };
    return box;
  }

  // ── drawing: in place, whenever something moves ────────────────────────────
  function draw() {
    if (!model.get("layout_of").length) return;
    const arrays = decode(model);
    if (JSON.stringify(model.get("panels")) !== drawn) build();
    stage.say(model.get("message"));
    for (const p of Object.values(boards)) {
      Object.assign(p, model.get("live")[p.name]);
      const { at } = arrays[p.name];
      p.tiles.forEach((tile, n) => put(tile, at[3 * n], at[3 * n + 1], `${p.palette}-${at[3 * n + 2]}`));
      p.order = p.tiles.map((_, n) => n).sort((a, b) => at[3 * a + 1] - at[3 * b + 1] || at[3 * a] - at[3 * b]);
      if (!p.tiles.some((tile) => tile.tabIndex === 0 && tile.was)) start(p);
      label(p);
      setText(p.heading, p.formula);
      setText(p.foot, p.note);
    }
    explain();
  }
  function start(p) {
    p.tiles.forEach((tile, n) => Object.assign(tile, { tabIndex: n === p.order[0] ? 0 : -1, was: true }));
  }

  function put(tile, x, y, look) {
    const [left, top] = [`calc(var(--tile) * ${x})`, `calc(var(--tile) * ${y})`];
    if (tile.style.left !== left) tile.style.left = left;
    if (tile.style.top !== top) tile.style.top = top;
    if (tile.look === look) return;
    if (tile.look) tile.classList.remove(tile.look);
    tile.classList.add((tile.look = look));
  }

  /** The marks beside the tiles, and a board as large as they all need. */
  function label(p) {
    const [wide, high] = p.board;
    p.plate.style.width = `calc(var(--tile) * ${wide})`;
    p.plate.style.height = `calc(var(--tile) * ${high})`;
    while (p.labels.length > p.marks.length) p.labels.pop().remove();
    while (p.labels.length < p.marks.length) {
      p.labels.push(make("span", "tl-tag"));
      p.plate.append(p.labels.at(-1));
    }
    p.marks.forEach(([x, y, text], n) => {
      setText(p.labels[n], text);
      p.labels[n].style.left = `calc(var(--tile) * ${x})`;
      p.labels[n].style.top = `calc(var(--tile) * ${y})`;
    });
  }

  // ── explaining: one number, on every board ─────────────────────────────────
  function explain() {
    const pin = held.now();
    const at = pin ?? focus;
    for (const p of Object.values(boards)) {
      p.tiles.forEach((tile, n) => {
        tile.classList.toggle("tl-now", n === at?.row);
        const pinned = n === pin?.row && p.name === pin.panel;
        tile.classList.toggle("tl-pinned", pinned);
        tile.setAttribute("aria-pressed", String(pinned));
      });
    }
    const p = boards[at?.panel];
    const said = p ? p.sayings[at.row] : Object.values(boards)[0].sentence;
    stage.about("{said}", { said }); // it holds the reader's words, and their braces
    stage.hint(pin ? PINNED : "Arrow keys: the next number in this order. Click or Space: pin.");
  }

  // ── moving: mouse and keyboard alike ───────────────────────────────────────
  function look(node) {
    const tile = node.closest?.(".tl-tile");
    if (!tile || !root.contains(tile)) return;
    const [panel, row] = [tile.dataset.panel, +tile.dataset.n];
    if (samePlace(focus, { panel, row, column: 0 })) return;
    focus = { panel, row, column: 0 };
    if (!held.now()) explain();
  }
  function onKey(event) {
    const tile = event.target.closest(".tl-tile");
    if (!tile) return;
    const p = boards[tile.dataset.panel];
    const at = p.order.indexOf(+tile.dataset.n);
    const next = stepTo(event.key, at, p.order.length, "ArrowLeft", "ArrowRight")
      ?? stepTo(event.key, at, p.order.length, "ArrowUp", "ArrowDown");
    if (event.key === "Escape") held.letGo();
    else if (next !== null) focusOne(p.tiles, p.tiles[p.order[next]]);
    else return;
    event.preventDefault();
    event.stopPropagation();
  }
  function onClick(event) {
    const tile = event.target.closest(".tl-tile");
    if (!tile) return;
    focusOne(boards[tile.dataset.panel].tiles, tile);
    look(tile);
    held.turn(focus);
  }

  stage.listen({ reach: look, key: onKey, click: onClick, also() {}, change: draw });
  draw();
  return () => stage.stop();
}

export default { render };
