// The runs of a project: a list, details of one, a comparison of several. Everything comes from this server.
"use strict";

const byId = (id) => document.getElementById(id);
const state = { runs: [], chosen: null, compared: [] };

function element(tag, text, className) {
  const made = document.createElement(tag);
  if (text !== undefined) made.textContent = text;
  if (className) made.className = className;
  return made;
}

async function fetched(path, options) {
  const answer = await fetch(path, options);
  const isJson = (answer.headers.get("Content-Type") || "").startsWith("application/json");
  const body = isJson ? await answer.json() : await answer.text();
  if (!answer.ok) throw new Error(body.error || answer.statusText);
  return body;
}

// ---- the address: run=3 or run=3&run=5, and q, so that a link can be shared ----

function readAddress() {
  const query = new URLSearchParams(location.search);
  state.compared = query.getAll("run").map(Number);
  state.chosen = state.compared.length === 1 ? state.compared[0] : null;
  byId("search").value = query.get("q") || "";
}

function writeAddress(shown) {
  const query = new URLSearchParams();
  for (const id of shown) query.append("run", id);
  if (byId("search").value) query.set("q", byId("search").value);
  const text = query.toString();
  history.replaceState(null, "", text ? `?${text}` : location.pathname);
}

// ---- the list ----

async function loadRuns() {
  const query = encodeURIComponent(byId("search").value);
  state.runs = await fetched(`/api/runs?q=${query}`);
  drawRuns();
  drawHistory();
  const slower = await fetched("/api/regressions");
  byId("regressions").replaceChildren(...slower.map((one) => element("pre", one.text)));
}

function drawRuns() {
  const rows = state.runs.map((run) => {
    const row = element("tr");
    row.dataset.run = run.id;
    if (run.id === state.chosen) row.className = "chosen";
    const box = element("input");
    box.type = "checkbox";
    box.ariaLabel = `compare run ${run.id}`;
    box.checked = state.compared.includes(run.id);
    box.onclick = (event) => { event.stopPropagation(); mark(run.id, box.checked); };
    const first = element("td");
    first.append(box);
    const tags = element("td");
    tags.append(...run.tags.map((tag) => element("span", tag, "tag")));
    const findings = run.findings ? ` ${run.findings} findings` : "";
    row.append(first, element("td", `#${run.id}`), element("td", run.when), element("td", run.title + findings));
    row.append(element("td", run.chip), element("td", run.level || run.backend));
    row.append(element("td", micro(run.us), "number"), tags);
    row.onclick = () => show(run.id);
    return row;
  });
  byId("runs").tBodies[0].replaceChildren(...rows);
  byId("compare").disabled = state.compared.length < 2;
  byId("state").textContent = `${state.runs.length} runs`;
}

function micro(value) {
  return value >= 1e6 ? `${(value / 1e6).toFixed(2)} s` : value >= 1e4 ? `${(value / 1e3).toFixed(2)} ms` : `${value.toFixed(1)} us`;
}

function mark(id, on) {
  state.compared = on ? [...state.compared, id] : state.compared.filter((one) => one !== id);
  byId("compare").disabled = state.compared.length < 2;
}

// ---- latency of the runs with the title of the chosen one, or of the newest ----

function drawHistory() {
  const svg = byId("history");
  const chosen = state.runs.find((run) => run.id === state.chosen) || state.runs[0];
  svg.replaceChildren();
  if (!chosen) return;
  const alike = state.runs.filter((run) => run.title === chosen.title && run.chip === chosen.chip
    && run.level === chosen.level && run.backend === chosen.backend).reverse();
  const width = svg.clientWidth || 600, height = 120, most = Math.max(...alike.map((run) => run.us)) || 1;
  const x = (i) => 10 + (width - 20) * (alike.length > 1 ? i / (alike.length - 1) : 0.5);
  const y = (run) => height - 8 - (height - 30) * run.us / most;
  const path = svgElement("path", { d: alike.map((run, i) => `${i ? "L" : "M"}${x(i)},${y(run)}`).join("") });
  const points = alike.map((run, i) => {
    const point = svgElement("circle", { cx: x(i), cy: y(run), r: run.id === chosen.id ? 5 : 3 });
    point.append(svgElement("title", {}, `#${run.id} ${micro(run.us)} ${run.commit}`));
    point.onclick = () => show(run.id);
    return point;
  });
  const label = svgElement("text", { x: 10, y: 12 }, `${chosen.title} on ${chosen.chip}: ${micro(chosen.us)}`);
  svg.append(path, ...points, label);
}

function svgElement(tag, attributes, text) {
  const made = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  if (text) made.textContent = text;
  return made;
}

// ---- details ----

async function show(id) {
  state.chosen = id;
  writeAddress([id]);
  drawRuns();
  drawHistory();
  const detail = byId("detail");
  try {
    const run = state.runs.find((one) => one.id === id);
    const summary = element("div");
    summary.innerHTML = await fetched(`/runs/${id}/summary`);  // the server escapes what it puts in
    const pin = element("button", run && run.tags.includes("baseline") ? "unpin baseline" : "pin as baseline");
    pin.onclick = () => tag(id, "baseline", run && run.tags.includes("baseline"));
    detail.replaceChildren(pin, summary);
    if (run && run.profile) {
      const frame = element("iframe");
      frame.title = "report";
      frame.src = `/runs/${id}/report`;
      detail.append(frame);
    }
  } catch (error) {
    detail.replaceChildren(element("p", error.message, "error"));
  }
}

async function tag(id, word, remove) {
  const headers = { "X-Tilesmith": "page" };
  await fetched("/api/tag", { method: "POST", headers, body: JSON.stringify({ run: id, tag: word, remove }) });
  await loadRuns();
  await show(id);
}

async function compare() {
  writeAddress(state.compared);
  const detail = byId("detail");
  try {
    const tables = element("div");
    tables.innerHTML = await fetched(`/api/compare?${state.compared.map((id) => `run=${id}`).join("&")}`);
    detail.replaceChildren(element("h2", "comparison"), tables);
  } catch (error) {
    detail.replaceChildren(element("p", error.message, "error"));
  }
}

// ---- what is running now ----

function drawLive(running) {
  byId("live").replaceChildren(...running.map((one) => {
    const box = element("div");
    const last = one.last.length ? `, last ${one.last[one.last.length - 1]}` : "";
    const where = one.chip ? ` on ${one.chip}` : "";
    box.append(element("b", one.title), element("span", `${where}: ${one.programs} kernels, ${micro(one.microseconds)} predicted${last}`));
    for (const finding of one.findings) box.append(element("div", finding, "finding"));
    return box;
  }));
}

function listen() {
  let stamp = null;
  const events = new EventSource("/api/events");
  events.onmessage = (event) => {
    const told = JSON.parse(event.data);
    drawLive(told.live);
    if (told.store !== stamp) loadRuns();  // at the first word too: a run may have come since the list was asked for
    stamp = told.store;
  };
}

byId("search").oninput = () => { writeAddress(state.chosen ? [state.chosen] : []); loadRuns(); };
byId("compare").onclick = compare;
readAddress();
loadRuns().then(() => {
  if (state.compared.length > 1) compare();
  else if (state.chosen) show(state.chosen);
});
listen();
