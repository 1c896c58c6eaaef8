"use strict";
const profile = JSON.parse(document.getElementById("data").textContent);
const chip = profile.chip;
const $ = (id) => document.getElementById(id);
const ROLES = ["reader", "unpack", "math", "pack", "writer"];
const WORK = { control: "#b9c0c8", noc: "#7aa6c2", unpack: "#4c9f70", matmul: "#d9822b", fpu: "#e5b567", sfpu: "#b565a7", pack: "#5d6fc4" };
const WAITS = [["DRAM", "#e4572e"], ["L1", "#f08a6b"], ["multicast", "#f08a6b"], ["CB", "#f3d9d2"], ["semaphore", "#c98ca7"],
  ["DST", "#f6e7c1"], ["source register", "#e9e4d0"], ["", "#eedddd"]];
const state = { program: 0, core: null, view: "core", begin: 0, end: 1 };

// ---- words ----
const count = (n) => Math.round(n).toLocaleString("en");
const percent = (share) => (100 * share).toFixed(share < 0.1 ? 1 : 0) + " %";
const bytes = (n) => { for (const unit of ["B", "KiB", "MiB"]) { if (n < 1024) return (unit === "B" ? n : n.toFixed(1)) + " " + unit; n /= 1024; }
  return n.toFixed(2) + " GiB"; };
const micros = (cycles) => (cycles / (chip.clock_ghz * 1e3)).toFixed(2) + " us";
const element = (tag, text, attributes = {}) => { const made = document.createElement(tag);
  if (text !== undefined) made.textContent = text;
  for (const [name, value] of Object.entries(attributes)) { if (name === "class") made.className = value; else made[name] = value; }
  return made; };
const colourOf = (name) => name.startsWith("wait: ") ? WAITS.find(([part]) => name.includes(part))[1] : WORK[name] || "#999";
const shortPlace = (place) => place.replace(/[^( ]*\/([^/]*)$/, "$1");
const partner = (wait) => !wait.cause.endsWith("BARRIER");
const own = (role) => role.cycles - role.waits.filter(partner).reduce((sum, wait) => sum + wait.cycles, 0);
const current = () => profile.programs[state.program];

function tip(event, text) {
  const box = $("tip");
  if (!text) { box.style.display = "none"; return; }
  box.textContent = text;
  box.style.display = "block";
  box.style.left = Math.min(event.clientX + 14, innerWidth - box.offsetWidth - 8) + "px";
  box.style.top = Math.min(event.clientY + 14, innerHeight - box.offsetHeight - 8) + "px";
}

function table(columns, rows, words = 1) {
  const made = element("table"), head = made.createTHead().insertRow(), body = made.createTBody();
  const isWords = (index, column) => index < words || column.endsWith("for") || column === "bound";
  columns.forEach((column, index) => head.append(element("th", column, { class: isWords(index, column) ? "words" : "" })));
  for (const cells of rows) {
    const row = body.insertRow();
    cells.forEach((cell, index) => row.append(element("td", cell, { class: isWords(index, columns[index]) ? "words" : "" })));
  }
  return made;
}

// ---- programs and summary ----
function drawPrograms() {
  const total = profile.programs.reduce((sum, one) => sum + one.cycles, 0) || 1;
  if (profile.programs.length < 2) return;
  const made = table(["program", "made for", "cores", "us", "part", "bound"], profile.programs.map((one) =>
    [one.name, shortPlace(one.made_for || ""), one.cores, one.microseconds.toFixed(1), percent(one.cycles / total), one.bound.sentence]), 2);
  [...made.tBodies[0].rows].forEach((row, index) => {
    row.className = "pick" + (index === state.program ? " chosen" : "");
    row.onclick = () => choose(index);
  });
  const us = profile.programs.reduce((sum, one) => sum + one.microseconds, 0);
  const launches = profile.programs.reduce((sum, one) => sum + one.launch_us, 0);
  const line = `${profile.programs.length} programs: ${us.toFixed(1)} us, and ${launches.toFixed(1)} us to launch them`;
  $("programs").replaceChildren(element("h2", "Programs"), element("p", line, { id: "total" }), made);
}

function card(label, value, more, wide) {
  const made = element("div", undefined, { class: "card" + (wide ? " wide" : "") });
  made.append(element("span", label, { class: "hint" }), element("b", value));
  if (more) made.append(typeof more === "string" ? element("span", more, { class: "hint" }) : more);
  return made;
}

function list(lines) {
  const made = element("ol");
  lines.forEach((line, index) => made.append(element("li", line, { class: index ? "" : "first" })));
  return made;
}

function drawCards() {
  const one = current(), roof = one.roofline, limit = Math.max(roof.math_cycles, roof.dram_cycles);
  const hints = one.reader === "metal" ? list(one.bound.changes) : undefined;
  const parts = [
    card("predicted time", one.microseconds.toFixed(2) + " us", count(one.cycles) + " cycles on " + one.cores + (one.cores === 1 ? " core" : " cores")
      + (one.launch_us ? ", launch " + one.launch_us.toFixed(1) + " us on top" : "")),
    card("physical limit on this chip", limit ? micros(limit) : "none",
      (roof.math_cycles >= roof.dram_cycles ? "math" : "DRAM") + " bound; the prediction is "
      + (limit ? (one.cycles / limit).toFixed(1) : "-") + " times that"),
    card("bound: " + one.bound.kind, one.bound.sentence, hints, true),
  ];
  const advice = profile.tried || [];
  if (advice.length) parts.push(card("tried, and predicted to be faster, launches and all", advice[0].code, list(advice.map((line) => line.text)), true));
  if (one.findings.length) {
    const lines = list(one.findings.map((found) => found.title + ": " + found.message + " (" + found.place + ")"));
    const made = card("findings", String(one.findings.length), lines, true);
    made.classList.add("bad");
    parts.push(made);
  }
  $("cards").replaceChildren(...parts);
}

// ---- core grid ----
const METRICS = {
  "busiest role, % of the time": (roles, one) => Math.max(...roles.map(own)) / one.cycles,
  "waiting, % of all roles' time": (roles) => roles.reduce((s, r) => s + r.waited, 0) / Math.max(1, roles.reduce((s, r) => s + r.cycles, 0)),
  "math work, % of the time": (roles, one) => roles.reduce((s, r) => s + ["matmul", "fpu", "sfpu"].reduce((t, k) => t + (r.work[k] || 0), 0), 0) / one.cycles,
  "end, % of the time": (roles, one) => Math.max(...roles.map((r) => r.cycles)) / one.cycles,
  "bytes moved, of the most": (roles, one, most) => roles.reduce((s, r) => s + r.bytes_moved, 0) / most,
};
const heat = (share) => { const s = Math.max(0, Math.min(1, share)); return `hsl(${220 - 215 * s} ${55 + 30 * s}% ${82 - 22 * s}%)`; };

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
      cell.onclick = () => { state.core = key; state.view = "core"; drawViews(); drawGrid(); drawTimeline(); drawRoles(); };
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

// ---- timeline ----
function lanes() {
  const all = current().timeline.lanes.map((lane, index) => ({ ...lane, index }));
  if (state.view === "core") return all.filter((lane) => lane.x + "," + lane.y === state.core)
    .sort((a, b) => ROLES.indexOf(a.role) - ROLES.indexOf(b.role));
  return all.filter((lane) => lane.role === state.view).sort((a, b) => a.y - b.y || a.x - b.x);
}

function drawViews() {
  const box = $("view"), roles = ROLES.filter((role) => current().roles.some((one) => one.role === role));
  box.replaceChildren(element("option", state.core ? "core (" + state.core.replace(",", ", ") + "), all roles" : "core", { value: "core" }),
    ...roles.map((role) => element("option", role + " of every core", { value: role })));
  box.value = state.view;
}

const LEFT = 92, TOP = 22;
function layout() {
  const shown = lanes(), banks = current().timeline.dram.length;
  const height = state.view === "core" ? 38 : Math.max(4, Math.min(22, Math.floor(420 / Math.max(1, shown.length))));
  const bank = banks ? Math.max(4, Math.min(9, Math.floor(110 / banks))) : 0;
  return { shown, height, bank, banks, total: TOP + shown.length * height + (banks ? 26 + banks * bank : 0) + 8 };
}

function prepare(canvas, height) {
  const ratio = devicePixelRatio || 1, width = canvas.clientWidth;
  canvas.style.height = height + "px";
  canvas.width = width * ratio; canvas.height = height * ratio;
  const context = canvas.getContext("2d");
  context.setTransform(ratio, 0, 0, ratio, 0, 0);
  context.clearRect(0, 0, width, height);
  context.font = "12px system-ui, sans-serif"; context.textBaseline = "middle";
  return [context, width];
}

function firstAfter(ends, time) { let low = 0, high = ends.length;
  while (low < high) { const middle = (low + high) >> 1; if (ends[middle] <= time) low = middle + 1; else high = middle; }
  return low; }

function drawTimeline() {
  const { shown, height, bank, banks, total } = layout(), lines = current().timeline;
  const [context, width] = prepare($("timeline"), total), scale = (width - LEFT - 8) / (state.end - state.begin);
  const style = getComputedStyle(document.body), place = (time) => LEFT + (time - state.begin) * scale;
  context.fillStyle = style.color;
  drawAxis(context, width, total, place);
  shown.forEach((lane, row) => {
    const top = TOP + row * height;
    context.fillStyle = style.color;
    if (height >= 11) context.fillText(state.view === "core" ? lane.role : "(" + lane.x + ", " + lane.y + ")", 8, top + height / 2);
    let last = -1;
    for (let i = firstAfter(lane.end, state.begin); i < lane.begin.length && lane.begin[i] < state.end; ++i) {
      const left = Math.max(LEFT, place(lane.begin[i])), right = Math.min(width - 8, place(lane.end[i]));
      if (right - left < 0.3 && left - last < 0.6) continue;
      last = left;
      context.fillStyle = colourOf(lines.states[lane.state[i]]);
      context.fillRect(left, top + 1, Math.max(0.6, right - left), height - 2);
      if (right - left > 90 && height > 16) { context.fillStyle = "#222";
        context.fillText(lines.states[lane.state[i]].replace("wait: ", ""), left + 5, top + height / 2, right - left - 8); }
    }
  });
  const under = TOP + shown.length * height + 20;
  if (banks) { context.fillStyle = style.color; context.fillText("DRAM banks", 8, under + banks * bank / 2); }
  lines.dram.forEach((values, row) => values.forEach((value, index) => {
    const left = place(index * lines.dram_step), right = place((index + 1) * lines.dram_step);
    if (!value || right < LEFT || left > width - 8) return;
    context.fillStyle = heat(value);
    context.fillRect(Math.max(LEFT, left), under + row * bank, Math.min(width - 8, right) - Math.max(LEFT, left) + 0.5, bank - 1);
  }));
  $("resolution").textContent = "Wheel zooms, dragging moves, double click shows the whole run; arrows, + and - do the same."
    + (lines.resolution > 1 ? ` Intervals are drawn in steps of ${count(lines.resolution)} cycles.` : "")
    + (current().dropped_events ? ` ${count(current().dropped_events)} events past the limit are missing.` : "");
}

function drawAxis(context, width, total, place) {
  const span = state.end - state.begin, raw = span / 8, power = 10 ** Math.floor(Math.log10(Math.max(1, raw)));
  const step = [1, 2, 5, 10].map((n) => n * power).find((n) => n >= raw) || 1;
  context.save();
  context.strokeStyle = getComputedStyle(document.body).getPropertyValue("--line");
  for (let time = Math.ceil(state.begin / step) * step; time <= state.end; time += step) {
    const x = place(time);
    context.beginPath(); context.moveTo(x, TOP - 4); context.lineTo(x, total); context.stroke();
    context.fillText(state.end > 1e4 ? micros(time) : count(time), x + 3, 10);
  }
  context.restore();
}

function drawLegend() {
  const names = new Set();
  for (const name of current().timeline.states) {
    if (!name.startsWith("wait: ")) { names.add([name, WORK[name]].join("|")); continue; }
    const [part, colour] = WAITS.find(([one]) => name.includes(one));
    names.add(["waits for " + (part || "others"), colour].join("|"));
  }
  $("legend").replaceChildren(...[...names].map((text) => { const [name, colour] = text.split("|"), made = element("span", name);
    made.style.setProperty("--colour", colour); return made; }));
}

function under(event) {
  const box = $("timeline").getBoundingClientRect(), { shown, height, bank, banks } = layout(), lines = current().timeline;
  const x = event.clientX - box.left, y = event.clientY - box.top, scale = (box.width - LEFT - 8) / (state.end - state.begin);
  const time = state.begin + (x - LEFT) / scale, row = Math.floor((y - TOP) / height);
  if (x < LEFT) return "";
  if (row >= 0 && row < shown.length) {
    const lane = shown[row], at = firstAfter(lane.end, time);
    if (at >= lane.begin.length || lane.begin[at] > time) return "";
    return lane.role + " of core (" + lane.x + ", " + lane.y + ")\n" + lines.states[lane.state[at]] + "\n"
      + count(lane.end[at] - lane.begin[at]) + " cycles from " + count(lane.begin[at]);
  }
  const number = Math.floor((y - (TOP + shown.length * height + 20)) / bank);
  if (number < 0 || number >= banks) return "";
  const value = lines.dram[number][Math.floor(time / lines.dram_step)];
  return value === undefined ? "" : "DRAM bank " + number + ": " + percent(value) + " of its peak";
}

function zoom(factor, at) {
  const end = current().cycles || 1, span = Math.min(end, Math.max(10, (state.end - state.begin) * factor));
  const share = (at - state.begin) / (state.end - state.begin);
  state.begin = Math.max(0, Math.min(end - span, at - share * span));
  state.end = state.begin + span;
  drawTimeline();
}
function move(cycles) {
  const end = current().cycles || 1, span = state.end - state.begin;
  state.begin = Math.max(0, Math.min(end - span, state.begin + cycles)); state.end = state.begin + span;
  drawTimeline();
}
function whole() { state.begin = 0; state.end = current().cycles || 1; drawTimeline(); }

function listen() {
  const canvas = $("timeline"); let held = null;
  canvas.addEventListener("wheel", (event) => { event.preventDefault();
    const box = canvas.getBoundingClientRect(), scale = (box.width - LEFT - 8) / (state.end - state.begin);
    zoom(event.deltaY > 0 ? 1.25 : 0.8, state.begin + Math.max(0, event.clientX - box.left - LEFT) / scale); }, { passive: false });
  canvas.onpointerdown = (event) => { held = event.clientX; canvas.setPointerCapture(event.pointerId); };
  canvas.onpointerup = () => { held = null; };
  canvas.onpointermove = (event) => {
    if (held === null) { tip(event, under(event)); return; }
    move((held - event.clientX) * (state.end - state.begin) / (canvas.clientWidth - LEFT - 8)); held = event.clientX; };
  canvas.onpointerleave = () => tip();
  canvas.ondblclick = whole;
  canvas.onkeydown = (event) => { const span = state.end - state.begin, middle = state.begin + span / 2;
    const keys = { ArrowLeft: () => move(-span / 5), ArrowRight: () => move(span / 5), "+": () => zoom(0.7, middle), "-": () => zoom(1.4, middle) };
    if (keys[event.key]) { event.preventDefault(); keys[event.key](); } };
  $("reset").onclick = whole;
  $("view").onchange = () => { state.view = $("view").value; drawTimeline(); };
  $("metric").onchange = drawGrid;
  addEventListener("resize", () => { drawTimeline(); drawMemory(); });
}

// ---- tables ----
function drawRoles() {
  const one = current(), chosen = one.roles.filter((role) => role.x + "," + role.y === state.core)
    .sort((a, b) => ROLES.indexOf(a.role) - ROLES.indexOf(b.role));
  $("roles").replaceChildren(table(["role", "kernel", "cycles", "computes", "waits", "bytes moved", "waits for"], chosen.map((role) => [
    role.role, role.kernel, count(role.cycles), percent((role.cycles - role.waited) / Math.max(1, role.cycles)),
    percent(role.waited / Math.max(1, role.cycles)), role.bytes_moved ? bytes(role.bytes_moved) : "",
    role.waits.slice(0, 4).map((wait) => `${wait.what}: ${count(wait.cycles)} in ${wait.count} (${wait.place})`).join("; ")]), 2));
}

// ---- kernel source, with the waits of each line ----
const fileOf = (path) => path.slice(path.lastIndexOf("/") + 1);
const stem = (path) => fileOf(path).replace(/\.[a-z]+$/, "");

function waitsByLine(source) {
  const found = new Map();
  for (const role of current().roles) {
    for (const wait of role.kernel === source.name ? role.waits : []) {
      const [, file, line_text] = wait.place.match(/^(.*):(\d+)$/) || [], line = Number(line_text);
      if (!line || stem(file) !== stem(source.path)) continue;  // a line of a header
      const known = found.get(line) || { cycles: 0, what: new Set() };
      known.cycles += wait.cycles;
      known.what.add(`${role.role}: ${wait.what}`);
      found.set(line, known);
    }
  }
  return found;
}

function drawKernels() {
  const names = current().sources.map((one) => `${one.name} (${one.role})`);
  $("kernel").replaceChildren(...names.map((name, index) => element("option", name, { value: index })));
  $("kernel").onchange = drawSource;
  drawSource();
}

function drawSource() {
  const source = current().sources[Number($("kernel").value) || 0];
  if (!source) { $("source").replaceChildren(); return; }
  const waits = waitsByLine(source), most = Math.max(1, ...[...waits.values()].map((one) => one.cycles));
  const made = element("table", undefined, { class: "source" });
  profile.texts[source.text].split("\n").forEach((text, index) => {
    const row = made.insertRow(), wait = waits.get(index + 1);
    const cell = element("td", wait ? count(wait.cycles) : "", { class: "waits" });
    if (wait) {
      cell.style.background = heat(wait.cycles / most);
      cell.title = [...wait.what].join("\n");
    }
    row.append(cell, element("td", index + 1, { class: "line" }), element("td", text, { class: "code" }));
  });
  $("source").replaceChildren(element("p", source.path ? fileOf(source.path) : source.name, { class: "hint" }), made);
}

function drawTables() {
  const one = current();
  $("tensors").replaceChildren(table(["tensor", "format", "size", "read", "written", "times read"], one.tensors.map((tensor) =>
    [tensor.name + " " + tensor.memory, tensor.dtype, bytes(tensor.size), bytes(tensor.read), bytes(tensor.written),
      (tensor.read / Math.max(1, tensor.size)).toFixed(1)]), 2));
  $("buffers").replaceChildren(table(["CB", "format", "pages", "bytes", "cores"], one.circular_buffers.map((cb) =>
    [cb.indices.join(", "), cb.format, count(cb.size / cb.page_size), bytes(cb.size), cb.cores]), 2));
}

function drawMemory() {
  const samples = profile.memory.samples, [context, width] = prepare($("memory"), 180), style = getComputedStyle(document.body);
  const series = [["DRAM", "dram", profile.memory.dram_capacity, "#e4572e"], ["L1 of the fullest core", "l1", profile.memory.l1_capacity, "#5d6fc4"]];
  series.forEach(([name, key, capacity, colour], index) => {
    const peak = Math.max(1, ...samples.map((one) => one[key])), base = 80 + index * 88;
    context.fillStyle = style.color;
    context.fillText(`${name}: peak ${bytes(peak)} of ${bytes(capacity)}`, 8, base - 68);
    context.fillStyle = colour;
    samples.forEach((sample, i) => { const left = 8 + i * (width - 16) / samples.length, height = 56 * sample[key] / peak;
      context.fillRect(left, base - height, Math.max(1, (width - 16) / samples.length - 1), height); });
  });
  $("memory").onmousemove = (event) => { const box = $("memory").getBoundingClientRect();
    const sample = samples[Math.floor((event.clientX - box.left - 8) / ((width - 16) / Math.max(1, samples.length)))];
    tip(event, sample ? `${sample.event}\nDRAM ${bytes(sample.dram)}, L1 ${bytes(sample.l1)}` : ""); };
  $("memory").onmouseleave = () => tip();
  const largest = [...profile.memory.buffers].sort((a, b) => b.size - a.size).slice(0, 12);
  $("lives").replaceChildren(table(["buffer", "memory", "bytes", "made for"], largest.map((one) => [one.name, one.memory, bytes(one.size), one.declared_at]), 2));
}

function choose(index) {
  state.program = index;
  const role = current().bound, cores = byCore(current());
  state.core = cores.has(role.x + "," + role.y) ? role.x + "," + role.y : [...cores.keys()][0] || null;
  state.view = "core";
  drawPrograms(); drawCards(); drawViews(); drawGrid(); drawBars(); drawLegend(); drawRoles(); drawKernels(); drawTables(); whole();
}

if (chip && profile.programs.length) {
  $("chip").textContent = `${chip.product} (${chip.family}), ${chip.grid_x} x ${chip.grid_y} cores at ${chip.clock_ghz} GHz. `
    + "Times are predicted by the emulator's model of the chip, not measured.";
  $("metric").replaceChildren(...Object.keys(METRICS).map((name) => element("option", name, { value: name })));
  listen();
  choose(profile.programs.reduce((best, one, index, all) => one.cycles > all[best].cycles ? index : best, 0));
  drawMemory();
} else {
  $("chip").textContent = "No program ran.";
}
