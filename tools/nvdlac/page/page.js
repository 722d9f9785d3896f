// SPDX-License-Identifier: Apache-2.0
// The head of the page, its tables and the picture of the data flow, and the start of all.

// ---- Head, tables ------------------------------------------------------------------------------

function showFigures() {
  const p = report.prediction, m = report.memory;
  const title = `${report.network} on ${report.configuration}`;
  document.title = at('#title').textContent = title;
  const figure = (value, what) =>
    at('#figures').append(element('li', {}, element('b', {}, value), element('span', {}, what)));
  figure(whole.format(p.cycles), p.extrapolated ? 'cycles predicted (extrapolated)'
    : 'cycles predicted');
  figure(real(p.runs_per_second), `runs a second at ${p.clock_megahertz} MHz`);
  figure(share(p.utilisation), 'of the time the MACs work');
  figure(p.limited_by, 'limits most cycles');
  figure(`${stages.length} / ${layers.length}`, 'stages / hardware layers');
  figure(bytes(m.weights), 'weights');
  figure(bytes(m.features), `features at the peak; at least ${bytes(m.features_lower_bound)}`);
  figure(`${bytes(report.totals.bytes_read)} / ${bytes(report.totals.bytes_written)}`,
    'read / written');
  if (!verified) return;
  figure(`${verified.same_class} / ${verified.inputs}`, 'inputs of the same class as float');
  if ('right' in verified)
    figure(`${verified.right} / ${verified.inputs}`, `right; float ${verified.float_right}`);
  figure(`${real(verified.outputs[0].snr)} dB`, `SNR of output ${verified.outputs[0].name}`);
  if (verified.worst_layer) figure(verified.worst_layer.name, 'loses most');
}

function showMissing() {
  if (report.missing.length === 0) return;
  at('#missing').hidden = false;
  const packages = report.missing.flatMap(m => m.package ?? []);
  at('#missing').textContent = report.missing.map(m => `No ${m.what}: ` +
    (m.package ? `${m.package} was not found.` : `${m.failure}.`)).join(' ') +
    (packages.length === 0 ? '' : ` To have it, apt install ${packages.join(' ')} and write the ` +
      'page again.');
}

// A table of columns [title, value of a row, printed (numbers only)]; a title sorts.
function table(title, rows, columns, { stage = null, open = false } = {}) {
  if (rows.length === 0) return;
  const body = element('tbody');
  const lines = rows.map(row => {
    const line = element('tr', {}, ...columns.map(([, value, print]) => element('td',
      { className: print ? 'number' : '' }, print ? print(value(row)) : String(value(row)))));
    if (stage !== null) tie(line, [stage(row)]);
    return { row, line };
  });
  body.append(...lines.map(l => l.line));
  let sorted = null;
  const head = element('tr', {}, ...columns.map(([name, value, print]) => {
    const cell = element('th', { textContent: name, className: print ? 'number' : '' });
    cell.onclick = () => {
      const down = sorted === name;
      sorted = down ? null : name;
      const key = l => value(l.row) ?? Infinity;
      lines.sort((a, b) => (key(a) < key(b) ? -1 : key(a) > key(b) ? 1 : 0) * (down ? -1 : 1));
      body.append(...lines.map(l => l.line));
    };
    return cell;
  }));
  at('#tables').append(element('section', {}, element('details', { open },
    element('summary', { textContent: title }),
    element('table', {}, element('thead', {}, head), body))));
}

function showTables() {
  const count = x => whole.format(x);
  table('Layers', layers, [['#', r => r.index, count], ['layer', r => r.name],
    ['unit', r => r.unit], ['input', r => shape(r.input)], ['output', r => shape(r.output)],
    ['MACs', r => r.macs, count], ['read', r => r.bytes_read, count],
    ['written', r => r.bytes_written, count], ['start', r => r.cycles.start, count],
    ['cycles', r => r.cycles.done - r.cycles.start, count],
    ['at least', r => r.cycles.at_least, count], ['limited by', r => r.cycles.limited_by],
    ['waits', r => r.cycles.waiting, count], ['in', r => r.cycles.waits_in], ['what', r => r.what]],
    { stage: r => r.stage, open: true });
  table('Errors of layers', errors, [['layer', e => e.name],
    ['SNR of its own, dB', e => e.snr_of_its_own, real], ['SNR of all, dB', e => e.snr, real],
    ['cosine', e => e.cosine, real], ['dB lost by its scale', e => e.lost_by_its_scale, real]]);
  table('Outputs', verified?.outputs ?? [], [['output', o => o.name],
    ['largest error', o => o.largest_error, real], ['mean error', o => o.mean_error, real],
    ['SNR, dB', o => o.snr, real], ['cosine', o => o.cosine, real]]);
  table('Scales', [...scales], [['layer', s => s[0]], ['scale', s => s[1].scale, real],
    ['stands for 0', s => s[1].zero, count],
    ['range in the scale table', s => ranges.get(s[0]), x => x === undefined ? '' : real(x)]]);
  table('Weights', report.weights, [['layer', w => w.layer], ['channels', w => w.channels, count],
    ['smallest channel', w => w.quartiles[0], real], ['median', w => w.quartiles[2], real],
    ['largest channel', w => w.quartiles[4], real]]);
  table('Feature memory', report.memory.buffers, [['buffer', b => b.name],
    ['bytes', b => b.bytes, count], ['offset', b => b.offset, count],
    ['from layer', b => b.first_layer, count], ['to layer', b => b.last_layer, count]]);
  table('Changes of order', report.conversions, [['layer', c => c.layer],
    ['from', c => c.from.map(f => `${f.layer} ${shape(f.shape)}`).join(', ')],
    ['to', c => shape(c.to)], ['layers', c => c.layers, count], ['cycles', c => c.cycles, count],
    ['why it is there', c => c.why]]);
  table('Remarks', report.remarks, [['layer', r => r.layer], ['remark', r => r.text]]);
}

function showDetails() {
  const rows = [];
  const add = (what, value) => rows.push(element('tr', {}, element('th', { textContent: what }),
    element('td', { textContent: value })));
  const chosen = [...state.selected].map(index => stages[index]);
  if (chosen.length > 1)
    add('parts', `${chosen.length}, in cycles ` +
      `${whole.format(Math.min(...chosen.map(s => s.start)))} to ` +
      `${whole.format(Math.max(...chosen.map(s => s.done)))}`);
  for (const s of chosen) {
    for (const r of s.rows)
      add(r.unit, `${r.name}: ${shape(r.input)} → ${shape(r.output)}` +
        (r.what ? `, ${r.what}` : ''));
    add('cycles', `${whole.format(s.start)} to ${whole.format(s.done)}: ${whole.format(s.cycles)}` +
      (s.bound ? `, at least ${whole.format(s.bound)} (${s.limit}); waits ` +
      `${whole.format(s.rows[0].cycles.waiting)} in ${s.rows[0].cycles.waits_in}` : ''));
    if (s.macs)
      add('MACs', `${whole.format(s.macs)}, ${real(s.macs / s.cycles)} a cycle of ` +
        `${report.hardware.macs_per_cycle}`);
    add('memory', `${bytes(s.read)} read (${bytes(s.weights)} weights), ` +
      `${bytes(s.written)} written`);
  }
  const scale = scales.get(state.layer), error = errors.find(e => e.name === state.layer);
  if (scale) add('scale', `${real(scale.scale)}, ${whole.format(scale.zero)} stands for 0` +
    (ranges.has(state.layer) ? `; up to ${real(ranges.get(state.layer))}` : ''));
  if (error)
    add('error', `SNR ${real(error.snr_of_its_own)} dB of its own, ${real(error.snr)} dB of all; ` +
      `its scale costs ${real(error.lost_by_its_scale)} dB`);
  at('#details').replaceChildren(rows.length ? element('table', {}, ...rows)
    : element('p', { className: 'hint', textContent: 'Nothing: click on a box.' }));
}

// ---- Data flow ---------------------------------------------------------------------------------

function showGraph() {
  const svg = at('#graph svg');
  at('#data_flow').hidden = svg === null;
  if (svg === null) return;
  svg.querySelectorAll('title').forEach(t => t.remove());
  boxes.forEach((indices, i) => tie(svg.querySelector(`#box${i}`), indices));
  if (!has.zoom) return;
  const { width: drawnWidth, height: drawnHeight } = svg.viewBox.baseVal;
  const graph = svg.firstElementChild;
  const frame = document.createElementNS(svg.namespaceURI, 'g');
  svg.replaceChild(frame, graph);
  frame.append(graph);
  for (const name of ['viewBox', 'width', 'height']) svg.removeAttribute(name);
  svg.classList.add('zoomable');
  const [width, height] = [svg.clientWidth, svg.clientHeight];
  const fit = Math.min(width / drawnWidth, height / drawnHeight);
  const zoom = d3.zoom().extent([[0, 0], [width, height]])
    .scaleExtent([Math.min(fit, 1) / 2, 8])
    .on('zoom', () => frame.setAttribute('transform', d3.event.transform));
  const all = d3.zoomIdentity.translate((width - fit * drawnWidth) / 2, 0).scale(fit);
  const surface = d3.select(svg).call(zoom);
  surface.on('dblclick.zoom', () => surface.call(zoom.transform, all));
  // At first all where it can be read, or else what is near the input, as wide as the panel.
  const near = fit > 0.7 ? Math.min(1.2, fit) : Math.max(fit, Math.min(1.2, width / drawnWidth));
  surface.call(zoom.transform,
    d3.zoomIdentity.translate((width - near * drawnWidth) / 2, 0).scale(near));
  addEventListener('beforeprint', () => surface.call(zoom.transform, all));

  let shown = null;
  views.push(() => {  // brings what is selected into view
    const index = [...state.selected][0];
    if (index === shown || index === undefined) return;
    shown = index;
    const node = svg.querySelector(`#box${stages[index].rows[0].box}`);
    const panel = svg.getBoundingClientRect();
    const { left, top, right, bottom } = node.getBoundingClientRect();
    if (left >= panel.left && right <= panel.right && top >= panel.top && bottom <= panel.bottom)
      return;
    const { k } = d3.zoomTransform(svg);
    surface.transition().duration(300).call(zoom.translateBy,
      ((panel.left + panel.right) / 2 - (left + right) / 2) / k,
      ((panel.top + panel.bottom) / 2 - (top + bottom) / 2) / k);
  });
}

// ---- Start --------------------------------------------------------------------------------------

at('#theme').addEventListener('click', () => {
  const root = document.documentElement;
  const dark = root.dataset.theme ? root.dataset.theme === 'dark'
    : matchMedia('(prefers-color-scheme: dark)').matches;
  root.dataset.theme = dark ? 'light' : 'dark';
});
showFigures();
showMissing();
showTables();
showGraph();
showPlots();
views.push(showDetails);
showDetails();
