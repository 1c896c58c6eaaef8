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
  let longest = null;
  profile.texts[source.text].split("\n").forEach((text, index) => {
    const row = made.insertRow(), wait = waits.get(index + 1);
    const cell = element("td", wait ? count(wait.cycles) : "", { class: "waits" });
    if (wait) {
      cell.style.background = heat(wait.cycles / most);
      cell.title = [...wait.what].join("\n");
      if (wait.cycles === most) longest = row;
    }
    row.append(cell, element("td", index + 1, { class: "line" }), element("td", text, { class: "code" }));
  });
  $("source").replaceChildren(element("p", source.path ? fileOf(source.path) : source.name, { class: "hint" }), made);
  $("source").scrollTop = longest ? Math.max(0, longest.offsetTop - $("source").offsetTop - 120) : 0;
}

