// ---- core grid ----
const METRICS = {
  "busiest role, % of the time": (roles, one) => Math.max(...roles.map(own)) / one.cycles,
  "waiting, % of all roles' time": (roles) => roles.reduce((s, r) => s + r.waited, 0) / Math.max(1, roles.reduce((s, r) => s + r.cycles, 0)),
  "math work, % of the time": (roles, one) => roles.reduce((s, r) => s + ["matmul", "fpu", "sfpu"].reduce((t, k) => t + (r.work[k] || 0), 0), 0) / one.cycles,
  "end, % of the time": (roles, one) => Math.max(...roles.map((r) => r.cycles)) / one.cycles,
  "L1 held, % of it": (roles, one) => l1Held(one, roles[0].x + "," + roles[0].y) / (chip.l1_size - chip.l1_base),
  "bytes moved, of the most": (roles, one, most) => roles.reduce((s, r) => s + r.bytes_moved, 0) / most,
};

function byCore(one) {
  const cores = new Map();
  for (const role of one.roles) { const key = role.x + "," + role.y; if (!cores.has(key)) cores.set(key, []); cores.get(key).push(role); }
  return cores;
}

function drawGrid() {
  const one = current(), cores = byCore(one), metric = METRICS[$("metric").value], cells = [];
  const most = Math.max(1, ...[...cores.values()].map((roles) => roles.reduce((s, r) => s + r.bytes_moved, 0)));
  for (let y = 0; y < chip.grid_y; ++y) for (let x = 0; x < chip.grid_x; ++x) {
    const key = x + "," + y, roles = cores.get(key);
    const share = roles ? metric(roles, one, most) : 0;
    const cell = element("button", roles ? (100 * share).toFixed(0) : "", { class: "core" + (roles ? "" : " idle") + (key === state.core ? " chosen" : ""), type: "button" });
    cell.setAttribute("aria-label", "core " + key);
    if (roles) {
      cell.style.background = heat(share);
      cell.onclick = () => { state.core = key; state.view = "core"; drawViews(); drawGrid(); drawTimeline(); drawRoles(); drawL1(); writeAddress(); };
      cell.onmousemove = (event) => tip(event, "core (" + key.replace(",", ", ") + ")\n" + roles.map((r) =>
        r.role + ": " + count(r.cycles) + " cycles, waits " + percent(r.waited / Math.max(1, r.cycles))).join("\n"));
      cell.onmouseleave = () => tip();
    }
    cells.push(cell);
  }
  $("grid").style.gridTemplateColumns = `repeat(${chip.grid_x}, 1fr)`;
  $("grid").replaceChildren(...cells);
}

// ---- bars ----
function bar(name, share, note) {
  const made = element("div", undefined, { class: "bar" }), track = element("i");
  track.style.setProperty("--share", Math.min(100, 100 * share) + "%");
  made.append(element("span", name), track, element("span", percent(share) + (note ? "  " + note : "")));
  return made;
}

function drawBars() {
  const one = current(), use = one.utilisation;
  $("bars").replaceChildren(
    bar("matrix engine", use.matrix_used, percent(use.matrix) + " of chip"), bar("vector unit", use.vector_used),
    bar("unpack", use.unpack_used), bar("pack", use.pack_used), bar("DRAM", use.dram), bar("NoC 0", use.noc[0]),
    bar("NoC 1", use.noc[1]), bar("busiest interface", use.busiest_noc));
  $("banks").replaceChildren(...one.banks.map((bank) =>
    bar("bank " + bank.bank, bank.utilisation, bytes(bank.read + bank.written))));
}


// ---- links of the NoCs ----
const CELL = 40;
function drawLinks() {
  const one = current(), links = one.links || [], box = $("links");
  $("noc").replaceChildren(...links.map((noc) => element("option", "NoC " + noc.noc, { value: noc.noc })));
  if (!links.length) { box.replaceChildren(element("p", "Nothing went over the NoCs.", { class: "hint" })); return; }
  const busiest = links.map((noc) => Math.max(...noc.along_x, ...noc.along_y));
  $("noc").value = links[busiest.indexOf(Math.max(...busiest))].noc;
  $("noc").onchange = drawNoc;
  drawNoc();
}

function drawNoc() {
  const one = current(), noc = one.links.find((part) => part.noc === Number($("noc").value));
  const width = chip.noc_x, height = chip.noc_y, step = noc.noc === 0 ? 1 : -1;
  const picture = svg("svg", { viewBox: `0 0 ${width * CELL} ${height * CELL}`, role: "img", "aria-label": "bytes on the links of the NoC" });
  const isWorker = (x, y) => chip.worker_x.includes(x) && chip.worker_y.includes(y);
  const isDram = (x, y) => chip.dram_x.some((at, bank) => at === x && chip.dram_y[bank] === y);
  const share = (moved) => moved / Math.max(1, one.cycles * (chip.noc_bytes_per_cycle || 32));
  const place = (at) => at * CELL + CELL / 2;
  for (let y = 0; y < height; ++y) for (let x = 0; x < width; ++x) {
    for (const [moved, dx, dy] of [[noc.along_x[y * width + x], step, 0], [noc.along_y[y * width + x], 0, step]]) {
      if (!moved) continue;
      const side = noc.noc === 0 ? 4 : -4;  // a link beside the middle, so that both directions of a picture are seen
      const line = svg("line", { class: "link", x1: place(x) + dy * side, y1: place(y) + dx * side,
        x2: place(x) + dx * CELL * 0.8 + dy * side, y2: place(y) + dy * CELL * 0.8 + dx * side, stroke: heat(share(moved)) });
      picture.append(hint(line, `(${x}, ${y}) to (${(x + dx + width) % width}, ${(y + dy + height) % height})\n${bytes(moved)}, ${percent(share(moved))} of the link`));
    }
    const kind = isWorker(x, y) ? "worker" : isDram(x, y) ? "dram" : "other";
    const node = svg("rect", { class: "node " + kind, x: place(x) - 8, y: place(y) - 8, width: 16, height: 16, rx: 3 });
    picture.append(hint(node, kind === "worker" ? `core (${chip.worker_x.indexOf(x)}, ${chip.worker_y.indexOf(y)})` : kind === "dram" ? "DRAM" : "no worker"));
  }
  const most = Math.max(...noc.along_x, ...noc.along_y), total = [...noc.along_x, ...noc.along_y].reduce((sum, moved) => sum + moved, 0);
  $("links").replaceChildren(picture, element("p", `Busiest link ${percent(share(most))} (${bytes(most)}); ${bytes(total)} times links passed. `
    + "Squares: cores filled, DRAM dark. What leaves at an edge comes in at the other.", { class: "hint" }));
}
