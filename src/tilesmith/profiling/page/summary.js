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

