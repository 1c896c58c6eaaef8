// ---- choosing a program, and the start ----
function choose(index) {
  state.program = index;
  const role = current().bound, cores = byCore(current());
  state.core = cores.has(role.x + "," + role.y) ? role.x + "," + role.y : [...cores.keys()][0] || null;
  state.view = "core";
  drawPrograms(); drawCards(); drawViews(); drawGrid(); drawBars(); drawLegend(); drawRoles(); drawKernels(); drawTables(); drawLinks(); drawRoofline(); drawLaunches(); drawPower(); drawL1(); whole(); writeAddress();
}

// The address says what is shown: #program=2&core=1,3, so that a link can be shared.
function writeAddress() {
  try { history.replaceState(null, "", `#program=${state.program}&core=${state.core || ""}`); } catch { return; }  // a frame has none
}

function fromAddress() {
  const told = new URLSearchParams(location.hash.slice(1)), index = Number(told.get("program")), core = told.get("core");
  if (!told.has("program") || !profile.programs[index]) return false;
  choose(index);
  if (core && byCore(current()).has(core)) { state.core = core; drawViews(); drawGrid(); drawTimeline(); drawRoles(); drawL1(); writeAddress(); }
  return true;
}


if (chip && profile.programs.length) {
  $("chip").textContent = `${chip.product} (${chip.family}), ${chip.grid_x} x ${chip.grid_y} cores at ${chip.clock_ghz} GHz. `
    + "Times are predicted by the emulator's model of the chip, not measured.";
  $("metric").replaceChildren(...Object.keys(METRICS).map((name) => element("option", name, { value: name })));
  listen();
  if (!fromAddress()) choose(profile.programs.reduce((best, one, index, all) => one.cycles > all[best].cycles ? index : best, 0));
  drawMemory();
} else {
  $("chip").textContent = "No program ran.";
}
