// ---- timeline ----
function lanes() {
  const all = current().timeline.lanes;
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

function firstAfter(ends, time, from = 0) { let low = from, high = ends.length;
  while (low < high) { const middle = (low + high) >> 1; if (ends[middle] <= time) low = middle + 1; else high = middle; }
  return low; }

function drawTimeline() {
  const { shown, height, bank, banks, total } = layout(), lines = current().timeline;
  const [context, width] = prepare($("timeline"), total), scale = (width - LEFT - 8) / (state.end - state.begin);
  const style = getComputedStyle(document.body), place = (time) => LEFT + (time - state.begin) * scale;
  context.fillStyle = style.color;
  drawAxis(context, width, total, place);
  paintLanes(context, shown, height, width);
  shown.forEach((lane, row) => {
    const middle = TOP + row * height + height / 2;
    context.fillStyle = style.color;
    if (height >= 11) context.fillText(state.view === "core" ? lane.role : "(" + lane.x + ", " + lane.y + ")", 8, middle);
    if (height > 16) labelLane(context, lane, middle, place, 90 / scale);
  });
  const under = TOP + shown.length * height + 20;
  if (banks) {
    context.fillStyle = style.color;
    context.fillText("DRAM banks", 8, under + banks * bank / 2);
    context.imageSmoothingEnabled = false;
    const steps = lines.dram[0].length, end = Math.min(state.end, steps * lines.dram_step);
    if (end > state.begin) context.drawImage(bankPicture(lines), state.begin / lines.dram_step, 0, (end - state.begin) / lines.dram_step, banks,
      LEFT, under, (end - state.begin) * scale, banks * bank);
  }
  $("resolution").textContent = "Wheel zooms, dragging moves, double click shows the whole run; arrows, + and - do the same."
    + (lines.resolution > 1 ? ` Intervals are drawn in steps of ${count(lines.resolution)} cycles.` : "")
    + (current().dropped_events ? ` ${count(current().dropped_events)} events past the limit are missing.` : "");
}

// Intervals go into an array of pixels: a long run has many more of them than rectangles could be drawn in a frame.
function paintLanes(context, shown, height, width) {
  const ratio = devicePixelRatio || 1, wide = Math.floor((width - LEFT - 8) * ratio), high = Math.max(1, Math.floor(height * ratio));
  if (!shown.length || wide < 1) return;
  const image = context.createImageData(wide, high), pixels = new Uint32Array(image.data.buffer);
  const colours = current().timeline.states.map(colourOf).map(asPixel), pixel = (state.end - state.begin) / wide;
  shown.forEach((lane, row) => {
    pixels.fill(0);
    let i = firstAfter(lane.end, state.begin);
    for (let x = 0; x < wide && i < lane.begin.length; ++x) {
      const time = state.begin + (x + 0.5) * pixel;
      if (lane.end[i] <= time) i = lane.end[i + 1] > time ? i + 1 : firstAfter(lane.end, time, i);
      if (lane.begin[i] < time + 0.5 * pixel) pixels[x] = colours[lane.state[i]];
    }
    const line = pixels.subarray(0, wide);
    for (let y = 1; y < high - (high > 3 ? 1 : 0); ++y) pixels.copyWithin(y * wide, 0, wide);
    if (high > 3) line.fill(0);
    context.putImageData(image, LEFT * ratio, Math.round((TOP + row * height) * ratio));
  });
}

const asPixel = (colour) => { const [red, green, blue] = [1, 3, 5].map((at) => parseInt(colour.length === 4 ? colour[(at + 1) / 2].repeat(2) : colour.slice(at, at + 2), 16));
  return (255 << 24 | blue << 16 | green << 8 | red) >>> 0; };

function labelLane(context, lane, middle, place, widest) {
  const states = current().timeline.states;
  context.fillStyle = "#222";
  for (let i = firstAfter(lane.end, state.begin); i < lane.begin.length && lane.begin[i] < state.end;) {
    const begin = Math.max(state.begin, lane.begin[i]), end = Math.min(state.end, lane.end[i]);
    if (end - begin > widest) context.fillText(states[lane.state[i]].replace("wait: ", ""), place(begin) + 5, middle, place(end) - place(begin) - 8);
    i = lane.begin.length > 2000 ? Math.max(i + 1, firstAfter(lane.end, begin + widest / 4, i)) : i + 1;
  }
}

const bankPictures = new Map();
function bankPicture(lines) {
  if (!bankPictures.has(lines)) {
    const made = element("canvas", undefined, { width: lines.dram[0].length, height: lines.dram.length }), context = made.getContext("2d");
    lines.dram.forEach((values, row) => values.forEach((value, index) => { if (value) { context.fillStyle = heat(value); context.fillRect(index, row, 1, 1); } }));
    bankPictures.set(lines, made);
  }
  return bankPictures.get(lines);
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
  redraw();
}
let waiting = false;  // several events of one frame draw once
function redraw() {
  if (waiting) return;
  waiting = true;
  requestAnimationFrame(() => { waiting = false; drawTimeline(); });
}
function move(cycles) {
  const end = current().cycles || 1, span = state.end - state.begin;
  state.begin = Math.max(0, Math.min(end - span, state.begin + cycles)); state.end = state.begin + span;
  redraw();
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
  addEventListener("resize", () => { drawTimeline(); drawMemory(); drawL1(); });
}

