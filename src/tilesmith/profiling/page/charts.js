// ---- roofline, launches, power: one mark for each program ----
const PLOT = { width: 620, height: 260, left: 56, bottom: 34, top: 12, right: 14 };
const picture = (label) => svg("svg", { viewBox: `0 0 ${PLOT.width} ${PLOT.height}`, role: "img", "aria-label": label, class: "plot" });
const text = (x, y, words, anchor = "start") => svg("text", { x, y, "text-anchor": anchor }, words);
const picked = (node, index, words) => { node.addEventListener("click", () => choose(index)); return hint(node, words); };

function drawRoofline() {
  const points = profile.programs.map((one, index) => ({ one, index, x: one.roofline.intensity, y: one.roofline.flops / Math.max(1e-9, one.microseconds) / 1e6 }))
    .filter((point) => point.x > 0 && point.y > 0);
  if (!points.length) { $("roofline").replaceChildren(element("p", "No matrix products: the roofline counts those.", { class: "hint" })); return; }
  const roof = current().roofline, chosen = roof.flops ? roof : points[0].one.roofline;
  const peak = chosen.peak_tflops || chosen.flops / Math.max(1e-9, chosen.math_cycles) * chip.clock_ghz / 1e3, slope = chip.dram_peak_gb_per_s / 1e3;
  const logs = (values) => [Math.floor(Math.log10(Math.min(...values))), Math.ceil(Math.log10(Math.max(...values)))];
  const [x0, x1] = logs([...points.map((point) => point.x / 2), 4 * peak / slope]), [y0, y1] = logs([...points.map((point) => point.y / 2), peak * 2]);
  const x = (value) => PLOT.left + (Math.log10(value) - x0) / (x1 - x0) * (PLOT.width - PLOT.left - PLOT.right);
  const y = (value) => PLOT.height - PLOT.bottom - (Math.log10(value) - y0) / (y1 - y0) * (PLOT.height - PLOT.top - PLOT.bottom);
  const made = picture("roofline");
  for (let power = x0; power <= x1; ++power) made.append(svg("line", { class: "grid", x1: x(10 ** power), x2: x(10 ** power), y1: PLOT.top, y2: PLOT.height - PLOT.bottom }),
    text(x(10 ** power), PLOT.height - 18, String(10 ** power), "middle"));
  for (let power = y0; power <= y1; ++power) made.append(svg("line", { class: "grid", y1: y(10 ** power), y2: y(10 ** power), x1: PLOT.left, x2: PLOT.width - PLOT.right }),
    text(PLOT.left - 6, y(10 ** power) + 4, String(10 ** power), "end"));
  const knee = peak / slope;
  made.append(svg("path", { class: "roof", d: `M${x(10 ** x0)},${y(Math.max(10 ** y0, slope * 10 ** x0))}L${x(knee)},${y(peak)}L${x(10 ** x1)},${y(peak)}` }),
    text(PLOT.width - PLOT.right, PLOT.height - 4, "FLOP for each byte of DRAM", "end"), text(2, 10, "TFLOP/s"),
    text(x(knee) + 6, y(peak) - 5, `${peak.toFixed(0)} TFLOP/s at ${current().fidelity || "this"} fidelity; DRAM ${chip.dram_peak_gb_per_s} GB/s`));
  for (const point of points) made.append(picked(svg("circle", { class: point.index === state.program ? "point chosen" : "point", cx: x(point.x), cy: y(point.y), r: 5 }), point.index,
    `${point.one.name}\n${point.y.toFixed(2)} TFLOP/s, ${point.x.toFixed(1)} FLOP/byte\n${(point.one.cycles / Math.max(1, point.one.roofline.math_cycles, point.one.roofline.dram_cycles)).toFixed(1)} times its limit`));
  $("roofline").replaceChildren(made);
}

function bars(label, values, tops, words) {
  const made = picture(label), most = Math.max(1e-9, ...tops), each = (PLOT.width - PLOT.left - PLOT.right) / values.length;
  const y = (value) => PLOT.height - PLOT.bottom - value / most * (PLOT.height - PLOT.top - PLOT.bottom);
  made.append(text(PLOT.left - 6, y(most) + 8, most.toPrecision(3), "end"), text(PLOT.left - 6, y(0), "0", "end"), text(2, PLOT.height - 4, words));
  made.append(svg("line", { class: "grid", x1: PLOT.left, x2: PLOT.width - PLOT.right, y1: y(0), y2: y(0) }));
  return { made, y, x: (index) => PLOT.left + index * each, each: Math.max(0.5, each - 1) };
}

function drawLaunches() {
  const programs = profile.programs, { made, x, y, each } = bars("launches", programs, programs.map((one) => one.microseconds + one.launch_us), "us of each program, in order");
  programs.forEach((one, index) => {
    const words = `${one.name}${one.made_for ? "\n" + one.made_for : ""}\nlaunch ${one.launch_us.toFixed(2)} us, kernels ${one.microseconds.toFixed(2)} us`;
    made.append(picked(svg("rect", { class: "kernels", x: x(index), width: each, y: y(one.microseconds), height: y(0) - y(one.microseconds) }), index, words),
      picked(svg("rect", { class: "launch", x: x(index), width: each, y: y(one.microseconds + one.launch_us), height: y(0) - y(one.launch_us) }), index, words));
  });
  const launches = programs.reduce((sum, one) => sum + one.launch_us, 0), kernels = programs.reduce((sum, one) => sum + one.microseconds, 0);
  $("launches").replaceChildren(made, element("p", `${programs.length} launches take ${launches.toFixed(1)} us, ${percent(launches / Math.max(1e-9, launches + kernels))} of the whole; kernels ${kernels.toFixed(1)} us.`, { class: "hint" }));
}

function drawPower() {
  const power = profile.power || [];
  if (!power.length) { $("power").replaceChildren(); return; }
  const limit = power[0].limit, { made, x, y, each } = bars("power", power, [limit], "W of each program, in order");
  made.append(svg("line", { class: "roof", x1: PLOT.left, x2: PLOT.width - PLOT.right, y1: y(limit), y2: y(limit) }), text(PLOT.width - PLOT.right, y(limit) + 14, `limit of the board ${limit} W`, "end"));
  power.forEach((one, index) => {
    const middle = x(index) + each / 2, words = `${profile.programs[index].name}\n${one.watts.toFixed(0)} W (${one.low.toFixed(0)} to ${one.high.toFixed(0)})\n${(one.watts * profile.programs[index].microseconds).toFixed(0)} uJ`;
    made.append(picked(svg("rect", { class: "kernels", x: x(index), width: each, y: y(one.watts), height: y(0) - y(one.watts) }), index, words),
      svg("line", { class: "range", x1: middle, x2: middle, y1: y(one.low), y2: y(one.high) }));
  });
  $("power").replaceChildren(made, element("p", profile.power_text, { class: "hint" }));
}
