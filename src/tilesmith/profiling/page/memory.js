// ---- tensors, buffers, memory over time, the map of L1 ----
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


// ---- L1 by core and time ----
const holds = (block, core) => { const [x, y] = core.split(",").map(Number);
  return block.areas.some(([x0, y0, x1, y1]) => x0 <= x && x <= x1 && y0 <= y && y <= y1); };
const l1Held = (one, core) => (one.l1 || []).filter((block) => holds(block, core)).reduce((sum, block) => sum + block.size, 0);
const hueOf = (name) => { let sum = 0; for (const letter of name) sum = (sum * 31 + letter.charCodeAt(0)) % 360; return `hsl(${sum} 55% 68%)`; };

function drawL1() {
  const height = 260, top = 22, [context, width] = prepare($("l1"), height), programs = profile.programs, style = getComputedStyle(document.body);
  const each = (width - LEFT - 8) / programs.length, y = (address) => height - 18 - (height - 18 - top) * (address - chip.l1_base) / (chip.l1_size - chip.l1_base);
  context.fillStyle = style.color;
  context.fillText(bytes(chip.l1_size), 8, top); context.fillText(bytes(chip.l1_base), 8, height - 18);
  context.fillText(`core (${(state.core || "").replace(",", ", ")}): ${bytes(state.core ? l1Held(current(), state.core) : 0)} held while ${current().name} runs`, LEFT, 8);
  programs.forEach((one, index) => {
    for (const block of one.l1 || []) {
      if (!state.core || !holds(block, state.core)) continue;
      context.fillStyle = hueOf(block.name);
      context.fillRect(LEFT + index * each, y(block.address + block.size), Math.max(0.6, each - (each > 3 ? 1 : 0)), Math.max(1, y(block.address) - y(block.address + block.size) - 0.5));
      if (each > 70 && y(block.address) - y(block.address + block.size) > 11) { context.fillStyle = "#222";
        context.fillText(block.name, LEFT + index * each + 4, (y(block.address) + y(block.address + block.size)) / 2, each - 8); }
    }
    if (index === state.program) { context.strokeStyle = style.getPropertyValue("--accent"); context.strokeRect(LEFT + index * each, top, each - 1, height - 18 - top); }
  });
  context.fillStyle = style.color;
  context.fillText("programs, in order", LEFT, height - 8);
  const at = (event) => { const box = $("l1").getBoundingClientRect(); return [Math.floor((event.clientX - box.left - LEFT) / each), event.clientY - box.top]; };
  $("l1").onclick = (event) => { const [index] = at(event); if (programs[index]) choose(index); };
  $("l1").onmousemove = (event) => { const [index, down] = at(event), one = programs[index];
    const block = one && (one.l1 || []).find((part) => state.core && holds(part, state.core) && y(part.address + part.size) <= down && down <= y(part.address));
    tip(event, one ? `${one.name}\n${block ? `${block.name}: ${bytes(block.size)} from 0x${block.address.toString(16)}` : bytes(l1Held(one, state.core || "-1,-1")) + " held"}` : ""); };
  $("l1").onmouseleave = () => tip();
}
