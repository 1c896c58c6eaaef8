"use strict";
// What every part of the report uses: the data, words for figures, tables, colours, drawing surfaces.
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

// ---- drawing ----
const heat = (share) => { const s = Math.max(0, Math.min(1, share)); return `hsl(${220 - 215 * s} ${55 + 30 * s}% ${82 - 22 * s}%)`; };
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

const svg = (tag, attributes = {}, text) => { const made = document.createElementNS($("empty").namespaceURI, tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  if (text !== undefined) made.textContent = text;
  return made; };
const hint = (node, text) => { node.addEventListener("mousemove", (event) => tip(event, text)); node.addEventListener("mouseleave", () => tip()); return node; };
